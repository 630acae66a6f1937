import { expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { coreVersion } from '../src/load-plugins.ts';

test('the version that plugins require is the version of the package', () => {
  expect(coreVersion).toBe(manifest.version);
});

test('the package has what an agent is composed of, by its name', async () => {
  const names = ['allow', 'ask', 'buildTool', 'createToolgate', 'definePlugin', 'deny', 'isCallOf'];

  expect(Object.keys(await import('@toolgate/core'))).toEqual(expect.arrayContaining(names));
});
