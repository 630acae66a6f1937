import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const condition = '@toolgate/source';
const ssr = { resolve: { conditions: [condition] } };
// For Node processes that tests start.
process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --conditions=${condition}`.trim();

// One temporary folder for all tests and what they start, gone when the run ends.
const temporary = mkdtempSync(join(tmpdir(), 'toolgate-tests-'));
process.env.TMPDIR = temporary;
process.once('exit', () => rmSync(temporary, { recursive: true, force: true }));

const folders = ['packages/*/test', 'apps/*/test', 'examples', 'test'];
const exclude = ['**/node_modules/**', '**/dist/**', '**/fixtures/**'];
const isolated = folders.map((folder) => `${folder}/**/*.iso.test.ts`);

export default defineConfig(({ mode }) => {
  // `npm run test:deep`: properties are tried much more often, and given the time for it.
  const isDeep = mode === 'deep';
  if (isDeep) process.env.TOOLGATE_DEEP = '1';
  const testTimeout = isDeep ? 600_000 : 5_000;
  return {
    test: {
      coverage: { provider: 'v8', include: ['packages/*/src/**'] },
      projects: [
        {
          ssr,
          test: {
            name: 'fast',
            testTimeout,
            isolate: false,
            include: folders.map((folder) => `${folder}/**/*.test.ts`),
            exclude: [...exclude, ...isolated],
          },
        },
        { ssr, test: { name: 'isolated', testTimeout, include: isolated, exclude } },
      ],
    },
  };
});
