import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commandRules, splitRules } from '../src/index.ts';

const options = { file: '/p/.claude/commands/ship.md', root: '/p', trusted: true };
const texts = (text: string, trusted = true) =>
  commandRules(text, { ...options, trusted }).rules.map(({ behavior, text: rule, line }) => [
    behavior,
    rule,
    line,
  ]);

test('a list and a text of allowed and disallowed tools become rules of the source command, with their line', () => {
  const text = `---
description: Ships it
allowed-tools: Bash(git add:*), Bash(git commit -m *) Read
disallowed-tools:
  - WebFetch
  - Bash(rm *)
---
Do it. allowed-tools: Bash
`;
  expect(texts(text)).toEqual([
    ['allow', 'Bash(git add:*)', 3],
    ['allow', 'Bash(git commit -m *)', 3],
    ['allow', 'Read', 3],
    ['deny', 'WebFetch', 5],
    ['deny', 'Bash(rm *)', 6],
  ]);
  expect(commandRules(text, options).rules[3]).toEqual({
    behavior: 'deny',
    text: 'WebFetch',
    source: 'command',
    file: '/p/.claude/commands/ship.md',
    root: '/p',
    line: 5,
    pointer: '/disallowed-tools/0',
  });
});

test('a command of a folder that nobody trusts only takes away', () => {
  const text = '---\nallowed-tools: Bash\ndisallowed-tools: Read\n---\n';
  const { rules, diagnostics } = commandRules(text, { ...options, trusted: false });
  expect(rules.map(({ text: rule }) => rule)).toEqual(['Read']);
  expect(diagnostics).toMatchObject([{ code: 'held-back', line: 2 }]);
});

test('a text without frontmatter has none; one that is no YAML says so with its line', () => {
  for (const text of [
    '',
    'allowed-tools: Bash',
    'x\n---\nallowed-tools: Bash\n---\n',
    '---\nallowed-tools: Bash\n',
  ])
    expect(commandRules(text, options)).toEqual({ rules: [], diagnostics: [] });
  expect(commandRules('---\nname: x\nallowed-tools: [Bash\n---\n', options)).toMatchObject({
    rules: [],
    diagnostics: [{ code: 'frontmatter-invalid', severity: 'error' }],
  });
  expect(commandRules('---\nallowed-tools: [Bash, 5, {a: b}]\n---\n', options)).toMatchObject({
    rules: [{ text: 'Bash' }],
    diagnostics: [{ code: 'rule-invalid' }, { code: 'rule-invalid' }],
  });
});

test('any text is taken', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (body, more) => {
      expect(() => commandRules(`---\n${body}\n---\n${more}`, options)).not.toThrow();
    }),
  );
});

test('a list in one text is taken apart outside parentheses', () => {
  expect(splitRules(' Read,  Bash(git log *, x) Edit(a b) ')).toEqual([
    'Read',
    'Bash(git log *, x)',
    'Edit(a b)',
  ]);
  expect(splitRules('')).toEqual([]);
});
