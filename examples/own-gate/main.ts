// Runs the command as a user would: `toolgate run --config toolgate.config.mjs calls.jsonl`.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ToolResultBlock } from '@toolgate/core';

const here = fileURLToPath(new URL('.', import.meta.url));
const command = fileURLToPath(new URL('bin.ts', import.meta.resolve('toolgate')));
const args = ['run', '--config', 'toolgate.config.mjs', 'calls.jsonl'];
const ran = spawnSync(process.execPath, [...process.execArgv, command, ...args], {
  cwd: here,
  encoding: 'utf8',
});
assert.equal(ran.status, 0, ran.stderr);

const results = ran.stdout
  .trimEnd()
  .split('\n')
  .map((line): ToolResultBlock => JSON.parse(line).content[0]);
assert.deepEqual(
  results.map(({ tool_use_id, is_error = false }) => [tool_use_id, is_error]),
  [
    ['toolu_1', false],
    ['toolu_2', true],
    ['toolu_3', false],
  ],
);
assert.match(JSON.stringify(results[0]?.content), /v\d+\.\d+/);
assert.match(JSON.stringify(results[1]?.content), /Only these commands run here: node --version/);
assert.match(JSON.stringify(results[2]?.content), /node --version/);
console.log('own gate: one command ran, npm publish was refused, one file was read');
