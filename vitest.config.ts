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

export default defineConfig({
  test: {
    coverage: { provider: 'v8', include: ['packages/*/src/**'] },
    projects: [
      {
        ssr,
        test: {
          name: 'fast',
          isolate: false,
          include: folders.map((folder) => `${folder}/**/*.test.ts`),
          exclude: [...exclude, ...isolated],
        },
      },
      { ssr, test: { name: 'isolated', include: isolated, exclude } },
    ],
  },
});
