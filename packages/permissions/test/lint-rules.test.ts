import type { Behavior, RuleEntry } from '@toolgate/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lintRules } from '../src/index.ts';
import { compileStars, matchesStars } from '../src/star-pattern.ts';

const entries = (behavior: Behavior, texts: readonly string[], file = '/s.json'): RuleEntry[] =>
  texts.map((text, index) => ({
    behavior,
    text,
    source: 'userSettings',
    file,
    line: index + 1,
    pointer: `/permissions/${behavior}/${index}`,
  }));

const codes = (rules: readonly RuleEntry[]) =>
  lintRules(rules).map(({ code, pointer }) => `${code} ${pointer ?? ''}`);

test.each([
  ['rule-shell-operator', 'Bash(git add . && git push)'],
  ['rule-shell-operator', 'Bash(ls | wc *)'],
  ['rule-multi-line', 'Bash(npm test\nrm -rf x)'],
  ['rule-shell-keyword', 'Bash(done)'],
  ['rule-shell-keyword', 'Bash(for x in a b)'],
  ['rule-shell-keyword', 'Bash(do npm test *)'],
  ['rule-dangerous-allow', 'Bash'],
  ['rule-dangerous-allow', 'Bash(*)'],
  ['rule-dangerous-allow', 'Bash(python *)'],
  ['rule-dangerous-allow', 'Bash(sudo:*)'],
  ['rule-retired-tool', 'Task(reviewer)'],
  ['rule-retired-tool', 'LS'],
  ['rule-unknown-tool', 'Basch(ls)'],
  ['rule-no-boundary', 'Bash(ls*)'],
  ['rule-assignment', 'Bash(FOO=1 npm test *)'],
  ['rule-blank-before-colon', 'Bash(npm test :*)'],
  ['rule-inner-colon-star', 'Bash(git:* push)'],
  ['rule-one-shot', `Bash(echo ${'x'.repeat(200)})`],
  ['rule-path-ignored', 'Write(src/**)'],
  ['rule-path-ignored', 'Grep(src/**)'],
  ['rule-single-slash', 'Read(/etc/passwd)'],
  ['rule-braces', 'Read(src/{a,b})'],
  ['rule-drive-path', 'Read(C:\\Users\\x)'],
  ['rule-allow-glob', 'mcp__serv*'],
  ['rule-empty-parentheses', 'Bash()'],
  ['rule-domain', 'WebFetch(https://example.com/)'],
  ['rule-content-ignored', 'WebSearch(x)'],
])('reports %s for the allow rule %j, with place and fix', (code, text) => {
  const found = lintRules(entries('allow', [text])).find((finding) => finding.code === code);
  expect(found).toMatchObject({ file: '/s.json', line: 1, pointer: '/permissions/allow/0' });
  expect(found?.fix.message).not.toBe('');
});

test('finds nothing in rules that mean what they say', () => {
  const allow = ['Bash(npm test)', 'Bash(git commit *)', 'Read(~/notes/**)', 'Edit(src/**)'];
  const more = ['WebFetch(domain:example.com)', 'mcp__git__status', 'Agent(reviewer)'];
  expect(lintRules(entries('allow', [...allow, ...more]))).toEqual([]);
  expect(lintRules(entries('deny', ['Read(.env)', 'Bash(rm -rf *)', 'Bash(sudo *)']))).toEqual([]);
});

test.each([
  ['Bash(git *)', 'Bash(git log *)'],
  ['Bash(git:*)', 'Bash(git log)'],
  ['Bash(git:*)', 'Bash(git)'],
  ['Bash(git*)', 'Bash(gitk *)'],
  ['Bash(git *)', 'Bash(git * main)'],
  ['Read', 'Read(src/**)'],
  ['Read(src/**)', 'Read(src/lib/*.ts)'],
  ['mcp__git', 'mcp__git__status'],
  ['mcp__git__*', 'mcp__git__status'],
])('%s covers %s', (wide, narrow) => {
  expect(codes(entries('allow', [wide, narrow]))).toContain('rule-covered /permissions/allow/1');
  expect(codes(entries('allow', [narrow, wide]))).toContain('rule-covered /permissions/allow/0');
});

test.each([
  ['Bash(git *)', 'Bash(gitk)'],
  ['Bash(git *)', 'Bash(git*)'],
  ['Bash(git *)', 'Bash(git*x)'],
  ['Bash(git log)', 'Bash(git log *)'],
  ['Read(src/**)', 'Read(src2/a)'],
  ['Read(src/**)', 'Read(src/../a)'],
  ['Read(/**)', 'Read(//etc/x)'],
  ['Read(src/**)', 'Edit(src/a)'],
  ['mcp__git', 'mcp__github__status'],
])('%s does not cover %s', (wide, narrow) => {
  expect(codes(entries('allow', [wide, narrow]))).not.toContain(
    'rule-covered /permissions/allow/1',
  );
});

test('a rule that is said twice is one too many, in whatever spelling', () => {
  expect(codes(entries('allow', ['Bash(npm:*)', 'Bash(npm *)', 'Bash(npm:*)']))).toEqual(
    expect.arrayContaining([
      'rule-duplicate /permissions/allow/1',
      'rule-duplicate /permissions/allow/2',
    ]),
  );
});

test('what one file repeats of another is no fault: each may be read alone', () => {
  const two = [
    ...entries('allow', ['Bash(git *)'], '/a'),
    ...entries('allow', ['Bash(git *)'], '/b'),
  ];
  expect(lintRules(two)).toEqual([]);
});

test('a deny or an ask of any file shadows what it matches in full', () => {
  const deny = entries('deny', ['Bash(git push *)'], '/managed');
  const allow = entries('allow', ['Bash(git push origin *)', 'Bash(git *)', 'Bash(git push)']);
  expect(codes([...deny, ...allow])).toEqual(
    expect.arrayContaining([
      'rule-shadowed /permissions/allow/0',
      'rule-shadowed /permissions/allow/2',
    ]),
  );
  expect(codes([...deny, ...allow])).not.toContain('rule-shadowed /permissions/allow/1');
  expect(codes([...entries('ask', ['Bash']), ...entries('allow', ['Bash(ls)'])])).toContain(
    'rule-shadowed /permissions/allow/0',
  );
  expect(codes([...entries('deny', ['Bash(ls)']), ...entries('ask', ['Bash'])])).toEqual([]);
});

test('an edit never lets an allow rule count that did not', () => {
  const editOf = (behavior: Behavior) =>
    lintRules(entries(behavior, ['Write(src/**)'])).map(({ fix }) => fix.edit);
  expect(editOf('allow')).toEqual([undefined]);
  expect(editOf('deny')).toEqual([{ op: 'replace', value: 'Edit(src/**)' }]);
});

test('what a dangerous allow covers stays, because modes put the dangerous one aside', () => {
  const found = lintRules(entries('allow', ['Bash(find *)', 'Bash(find . *)']));
  expect(found.filter(({ code }) => code === 'rule-covered').map(({ fix }) => fix.edit)).toEqual([
    undefined,
  ]);
});

const word = fc.constantFrom('a', 'ab', 'b', 'a b');
const pattern = fc
  .tuple(
    fc.array(word, { minLength: 1, maxLength: 3 }),
    fc.constantFrom('', ' *', ':*', '*', ' * b'),
  )
  .map(([words, tail]) => words.join(' ') + tail);

test('rules that are removed as covered or repeated change no decision', () => {
  fc.assert(
    fc.property(
      fc.array(pattern, { maxLength: 8 }),
      fc.array(word, { minLength: 1, maxLength: 5 }),
      (contents, words) => {
        const rules = entries(
          'allow',
          contents.map((content) => `Bash(${content})`),
        );
        const gone = new Set(
          lintRules(rules)
            .filter(({ fix }) => fix.edit?.op === 'remove')
            .map(({ pointer }) => pointer),
        );
        const matches = (content: string) =>
          matchesStars(compileStars(content, false), words.join(' '));
        const kept = contents.filter((_, index) => !gone.has(rules[index]?.pointer));
        expect(kept.some(matches)).toBe(contents.some(matches));
      },
    ),
  );
});

test('fifty thousand rules are looked at in a few seconds', { timeout: 30_000 }, () => {
  const many = Array.from({ length: 50_000 }, (_, index) => `Bash(tool${index} run *)`);
  expect(lintRules(entries('allow', many))).toEqual([]);
});

test('takes any text', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { maxLength: 5 }), (texts) => {
      for (const finding of lintRules(entries('allow', texts)))
        expect(finding.fix.message).not.toBe('');
    }),
  );
});
