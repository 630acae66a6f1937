export type { AnalyseOptions } from './analyse.ts';
export type { Problem } from './bash/model.ts';
export { bashClassifier, type BashClassifierOptions } from './bash-classifier.ts';
export type { ReadOnlyCommand, ReadOnlyCommands } from './read-only/added-commands.ts';
export { bashEffects } from './bash-effects.ts';
export { classifyBash, type BashClassification } from './classify-bash.ts';
export { getDestructiveCommandWarning } from './destructive-command-warning.ts';
export { gitContextHolds } from './git-context.ts';
export { sideQuery, type SideQueryOptions } from './side-query/side-query.ts';
