import { definePlugin } from '@toolgate/core';
import { readAdded, type AnalyseOptions } from './analyse.ts';
import { bashEffects } from './bash-effects.ts';
import { remembering } from './remembering.ts';

/** The names that commands may find in their environment, where not this process's, and further commands that only read. */
export type BashClassifierOptions = Pick<AnalyseOptions, 'environmentNames' | 'commands'>;

/** Makes this package the owner of the effects of Bash calls. A description of a command that is invalid is a load error. */
export const bashClassifier = definePlugin({
  name: '@toolgate/classifier',
  setup(gate, options: BashClassifierOptions | void) {
    if (options?.commands) readAdded(options.commands);
    const read = remembering();
    gate.effects.own('Bash', (input, facts) => bashEffects(input, facts, options ?? {}, read));
  },
});
