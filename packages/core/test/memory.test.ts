import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { runs } from './helpers.ts';

const calls = runs(10_000, 100_000);

test(`invariant 8: ${calls} calls in one session leave no memory behind`, async () => {
  const fixture = fileURLToPath(new URL('fixtures/many-calls.mjs', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    '--disable-warning=ExperimentalWarning',
    fixture,
    String(calls),
    tmpdir(),
  ]);
  const [early = 0, end = Infinity] = JSON.parse(stdout) as number[];
  expect(early).toBeGreaterThan(0);
  // A single word kept of each call would be more than this in the deep run.
  expect(end - early).toBeLessThan(2 * 1024 * 1024);
}, 600_000);
