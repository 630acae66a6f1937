import { expect, test } from 'vitest';
import { rulesBackend } from '../src/index.ts';
import { command, file, startedCall, type CallParts } from './helpers/call.ts';
import { factsOf } from './helpers/vector-gate.ts';

const backend = rulesBackend({ facts: factsOf({ home: '/h' }) });
const why = (rule: string, parts: CallParts = { units: [command('git push origin')] }) =>
  backend.whyNotKept?.(rule, startedCall(parts));

test('a rule that allows the call, or a part of it, may be kept', () => {
  expect(why('Bash(git push *)')).toBeUndefined();
  expect(why('Bash(git push origin)')).toBeUndefined();
  const units = [command('npm test'), file('Edit', '/p/out.txt')];
  expect(why('Edit(/out.txt)', { units })).toBeUndefined();
  expect(why('Edit(out.txt)', { units })).toBeUndefined();
});

test.each([
  ['Bash(git pull *)', /does not allow this call/],
  ['Edit(src/**)', /does not allow this call/],
  ['Bash(git push\n*)', /more than one line/],
  ['Bash(git push\u2028*)', /more than one line/],
  ['Bash(git push', /cannot be read/],
  ['', /cannot be read/],
  ['Bash', /every command/],
  ['Bash(*)', /every command/],
  ['Bash(* origin)', /names no program before its star/],
  ['B*', /would not count/],
  ['*', /would not count/],
])('%j may not be kept', (rule, reason) => {
  expect(why(rule)).toMatch(reason);
});

test('an interpreter or wrapper prefix may not be kept even where it allows the call', () => {
  expect(why('Bash(python3 *)', { units: [command('python3 x.py')] })).toMatch(/any code/);
  expect(why('Bash(timeout 5 *)', { units: [command('timeout 5 make')] })).toMatch(/timeout runs/);
});
