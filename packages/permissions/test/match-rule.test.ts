import { expect, test } from 'vitest';
import { matchRule } from '../src/index.ts';
import { command, file, startedCall } from './helpers/call.ts';

const bash = (text: string, ...contents: readonly string[]) =>
  startedCall({ units: contents.map((content) => command(content)), input: { command: text } });

test.each([
  ['Bash', 'ls', ['ls'], 'yes'],
  ['Bash(git *)', 'npm test && git push', ['npm test', 'git push'], 'yes'],
  ['Bash(rm *)', 'echo $(rm -rf x)', ['echo', 'rm -rf x'], 'yes'],
  ['Bash(rm *)', 'echo $(date)', ['echo', 'date'], 'no'],
  ['Bash(git push *)', 'echo $(date)', ['echo', 'date'], 'unreadable'],
  ['Bash(git push *)', 'echo $X', ['echo $X'], 'unreadable'],
  ['Bash(git push *)', 'npm test', ['npm test'], 'no'],
  ['Edit', 'ls', ['ls'], 'no'],
  ['Bash(', 'ls', ['ls'], 'unreadable'],
  ['Write(/docs/**)', 'ls', ['ls'], 'unreadable'],
  ['B*', 'ls', ['ls'], 'yes'],
] as const)('%s on %j: %s', (rule, text, contents, expected) => {
  expect(matchRule(rule, bash(text, ...contents))).toBe(expected);
});

test('an unparsed command is unreadable', () => {
  const call = startedCall({
    units: [command('if x', { unparsed: true })],
    input: { command: 'if x' },
  });
  expect(matchRule('Bash(rm *)', call)).toBe('unreadable');
});

test('dir/** matches at the top alone', () => {
  const edit = (path: string) =>
    matchRule(
      'Edit(src/**)',
      startedCall({ tool: 'Edit', units: [file('Edit', path, { own: true })] }),
    );
  expect([edit('/p/src/a'), edit('/p/lib/src/a')]).toEqual(['yes', 'no']);
});
