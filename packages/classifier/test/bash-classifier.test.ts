import type { EffectsAnswer, EffectsFacts, PluginGate } from '@toolgate/core';
import { expect, test } from 'vitest';
import { bashClassifier, bashEffects } from '../src/index.ts';
import { projectFacts } from './helpers.ts';

test('the plugin owns the effects of Bash and Monitor, and of nothing else', () => {
  const owned = new Map<
    string,
    (input: Record<string, unknown>, facts: EffectsFacts) => EffectsAnswer
  >();
  const gate: Pick<PluginGate, 'effects'> = {
    effects: {
      own: (tool, effects) => void owned.set(tool, effects),
      tighten: () => {
        throw new Error('not expected');
      },
    },
  };
  const plugin = bashClassifier({ environmentNames: [] });
  expect(bashClassifier().name).toBe(plugin.name);
  // The plugin uses this part of the gate only; anything else would fail here.
  plugin.setup(gate as PluginGate);
  expect(plugin.name).toBe('@toolgate/classifier');
  expect([...owned.keys()]).toEqual(['Bash', 'Monitor']);
  const input = { command: 'rm -rf build' };
  expect(owned.get('Bash')?.(input, projectFacts())).toEqual(
    bashEffects(input, projectFacts(), { environmentNames: [] }),
  );
});

test('input without a command is not read-only and has no units', () => {
  expect(bashEffects({}, projectFacts())).toEqual({
    units: [],
    readOnly: false,
    destructive: true,
    concurrencySafe: false,
  });
});
