import { defineConfig } from 'vitest/config';

const condition = '@toolgate/source';
const ssr = { resolve: { conditions: [condition] } };
// For Node processes that tests start.
process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --conditions=${condition}`.trim();

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
