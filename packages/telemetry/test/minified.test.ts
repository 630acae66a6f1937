import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { expect, onTestFinished, test } from 'vitest';

test('errors are classified the same in a bundle whose names are minified', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'toolgate-minified-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));
  const entry = join(folder, 'entry.mjs');
  await writeFile(
    entry,
    `import { classifyToolError } from ${JSON.stringify(source('../src/classify-tool-error.ts'))};
     import { TelemetrySafeError } from ${JSON.stringify(source('../../core/src/errors.ts'))};
     class SomeLongNamedError extends Error {}
     class NamedError extends Error { name = 'NamedError'; }
     export const kinds = [
       new TelemetrySafeError('message /secret', 'safe words'),
       Object.assign(new Error('/secret'), { code: 'ENOENT' }),
       new TypeError('/secret'),
       new NamedError('/secret'),
       new SomeLongNamedError('/secret'),
       new Error('x', { cause: new RangeError('/secret') }),
       'text',
     ].map(classifyToolError);`,
  );
  const bundle = await rolldown({
    input: entry,
    platform: 'node',
    resolve: { conditionNames: ['@toolgate/source', 'import', 'node', 'default'] },
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  const file = join(folder, 'bundle.mjs');
  await writeFile(file, output[0].code);
  expect(output[0].code).not.toContain('SomeLongNamedError');

  const { kinds } = (await import(pathToFileURL(file).href)) as {
    readonly kinds: readonly string[];
  }; // as written above
  expect(kinds).toEqual([
    'safe words',
    'Error:ENOENT',
    'TypeError',
    'NamedError',
    'Error',
    'RangeError',
    'UnknownError',
  ]);
});
