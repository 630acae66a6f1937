import { definePlugin, type EffectsAnswer } from '@toolgate/core';
import { readAdded, type AnalyseOptions } from './analyse.ts';
import { bashEffects } from './bash-effects.ts';
import { remembering } from './remembering.ts';

/** The names that commands may find in their environment, where not this process's, and further commands that only read. */
export type BashClassifierOptions = Pick<AnalyseOptions, 'environmentNames' | 'commands'>;

/** Makes this package the owner of the effects of Bash calls, and of commands that a monitor would run. A description of a command that is invalid is a load error. */
export const bashClassifier = definePlugin({
  name: '@toolgate/classifier',
  setup(gate, options: BashClassifierOptions | void) {
    if (options?.commands) readAdded(options.commands);
    const read = remembering();
    gate.effects.own('Bash', (input, facts) => bashEffects(input, facts, options ?? {}, read));
    gate.effects.own('Monitor', (input, facts) =>
      asMonitor(bashEffects(input, facts, options ?? {}, read)),
    );
  },
});

/** The same commands, run again and again in the background: nothing about that is free, and what is no command is opaque. */
function asMonitor({ units = [], ...effects }: EffectsAnswer): EffectsAnswer {
  const own = units.map((unit) =>
    unit.tool === 'Bash' ? { ...unit, tool: 'Monitor', readOnly: false } : unit,
  );
  const opaque = { tool: 'Monitor', readOnly: false, allowBy: 'exact' } as const;
  return {
    ...effects,
    units: own.length > 0 ? own : [opaque],
    readOnly: false,
    concurrencySafe: false,
  };
}
