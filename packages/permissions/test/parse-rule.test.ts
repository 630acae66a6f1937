import { expect, test } from 'vitest';
import { parseRule } from '../src/index.ts';

test.each([
  ['Bash', { tool: 'Bash' }],
  [' Bash ', { tool: 'Bash' }],
  ['Bash(*)', { tool: 'Bash' }],
  ['Bash(npm test)', { tool: 'Bash', content: 'npm test' }],
  ['Bash(node -e "f(g())")', { tool: 'Bash', content: 'node -e "f(g())"' }],
  ['Bash(a) && b)', { tool: 'Bash', content: 'a) && b' }],
  ['mcp__s__*', { tool: 'mcp__s__*' }],
  ['Read(~/.ssh/**)', { tool: 'Read', content: '~/.ssh/**' }],
])('%s is read', (text, rule) => {
  expect(parseRule(text)).toEqual({ ok: true, rule });
});

test.each([
  ['', 'rule-empty'],
  ['Bash()', 'rule-empty-parentheses'],
  ['Bash( )', 'rule-empty-parentheses'],
  ['Bash(npm', 'rule-unbalanced'],
  ['Bash npm)', 'rule-unbalanced'],
  ['(npm)', 'rule-no-tool'],
  ['Bash(npm) x', 'rule-trailing-text'],
  ['Stop Task', 'rule-tool-name'],
  ['"Bash"', 'rule-tool-name'],
])('%j has one problem: %s', (text, code) => {
  expect(parseRule(text)).toMatchObject({ ok: false, code });
});

test('the name of an MCP server may hold blanks, which its tools do not', () => {
  expect(parseRule('mcp__my srv')).toEqual({ ok: true, rule: { tool: 'mcp__my srv' } });
  expect(parseRule('mcp__a, mcp__b')).toMatchObject({ ok: false, code: 'rule-tool-name' });
});
