import type { Behavior } from '@toolgate/core';
import { expect, test } from 'vitest';
import { ruleDiagnostics } from '../src/index.ts';

const codes = (text: string, behavior: Behavior = 'deny') =>
  ruleDiagnostics([{ behavior, text, source: 'session' }]).map(({ code }) => code);

test.each<[string, Behavior, readonly string[]]>([
  ['Bash(npm test)', 'allow', []],
  ['Bash()', 'deny', ['rule-empty-parentheses']],
  ['*', 'allow', ['rule-allow-glob']],
  ['mcp__*', 'allow', ['rule-allow-glob']],
  ['mcp__s__*', 'allow', []],
  ['Write(/docs/**)', 'deny', ['rule-path-ignored']],
  ['Glob(src/**)', 'allow', ['rule-path-ignored']],
  ['Bash(command:rm *)', 'deny', ['rule-primary-field']],
  ['Bash(* install)', 'allow', ['rule-leading-star']],
  ['Bash(ls*)', 'allow', ['rule-no-boundary']],
  ['Bash(:*)', 'allow', ['rule-no-prefix']],
  ['Read(/etc/hosts)', 'deny', ['rule-single-slash']],
  ['Read(*.{pem,key})', 'deny', ['rule-braces']],
  ['Read(!x)', 'deny', ['rule-path']],
  ['WebFetch(https://example.com)', 'allow', ['rule-domain']],
  ['WebFetch(domain:https://example.com/x)', 'allow', ['rule-domain']],
  ['WebSearch(x)', 'deny', ['rule-content-ignored']],
  ['Bahs(rm *)', 'deny', ['rule-unknown-tool']],
  ['KillShell', 'deny', []],
  ['my_tool', 'deny', []],
])('%s in %s: %j', (text, behavior, expected) => {
  expect(codes(text, behavior)).toEqual(expected);
});

test('a diagnostic has the place of its rule and leaves the other rules alone', () => {
  const place = {
    source: 'projectSettings',
    file: '/p/.claude/settings.json',
    pointer: '/permissions/deny/1',
  } as const;
  const found = ruleDiagnostics([
    { behavior: 'deny', text: 'Bash(rm *)', ...place, line: 4 },
    { behavior: 'deny', text: 'Bash(', ...place, line: 5 },
  ]);
  expect(found).toMatchObject([
    {
      code: 'rule-unbalanced',
      file: place.file,
      line: 5,
      pointer: place.pointer,
      severity: 'error',
    },
  ]);
});
