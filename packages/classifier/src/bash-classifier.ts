import { definePlugin } from '@toolgate/core';
import type { AnalyseOptions } from './analyse.ts';
import { bashEffects } from './bash-effects.ts';

/** The names that the environment of commands may hold, where it is not this process's. */
export type BashClassifierOptions = Pick<AnalyseOptions, 'environmentNames'>;

/** Makes this package the owner of the effects of Bash calls. */
export const bashClassifier = definePlugin({
  name: '@toolgate/classifier',
  setup(gate, options: Pick<AnalyseOptions, 'environmentNames'> | void) {
    gate.effects.own('Bash', (input, facts) => bashEffects(input, facts, options ?? {}));
  },
});
