import type { PermissionUnit } from '@toolgate/core';
import { expect, test } from 'vitest';
import { rulesBackend } from '../src/index.ts';
import { command, file, startedCall, verdict } from './helpers/call.ts';
import { factsOf } from './helpers/vector-gate.ts';

const backend = rulesBackend({ facts: factsOf({ home: '/h' }) });
interface Asked {
  readonly tool?: string;
  readonly units: readonly PermissionUnit[];
  readonly suggested?: readonly string[];
  /** The units that need approval; all of them without it. */
  readonly open?: readonly PermissionUnit[];
}
function suggest({ tool = 'Bash', units, suggested = [], open = units }: Asked) {
  const call = startedCall({ tool, units });
  return backend.suggest?.(
    { ...call, effects: { ...call.effects, suggestedRules: suggested } },
    open,
  );
}

const own = (path: string, open = false) =>
  file('Edit', path, { own: true, ...(open && { open }) });
test.each<[string, Asked, readonly string[]]>([
  ['a file', { tool: 'Write', units: [own('/p/src/a.ts')] }, ['Edit(//p/src/a.ts)']],
  [
    'a name with stars',
    { tool: 'Write', units: [own('/p/[a]*.ts')] },
    [String.raw`Edit(//p/\[a\]\*.ts)`],
  ],
  [
    'a folder that is read',
    { tool: 'Grep', units: [file('Read', '/q', { own: true, open: true })] },
    ['Read(//q/**)'],
  ],
  [
    'a host',
    {
      tool: 'WebFetch',
      units: [{ tool: 'WebFetch', content: 'domain:a.com', readOnly: false, own: true }],
    },
    ['WebFetch(domain:a.com)'],
  ],
  [
    'a tool of a server',
    { tool: 'mcp__s__t', units: [{ tool: 'mcp__s__t', readOnly: false, own: true }] },
    ['mcp__s__t'],
  ],
  [
    'a skill',
    {
      tool: 'Skill',
      units: [{ tool: 'Skill', content: 'deploy prod', readOnly: false, own: true }],
    },
    ['Skill(deploy prod)'],
  ],
  [
    'any other tool',
    { tool: 'Deploy', units: [{ tool: 'Deploy', readOnly: false, own: true }] },
    ['Deploy'],
  ],
])('for %s it is that alone', (_what, asked, rules) => {
  expect(suggest(asked)).toEqual(rules);
  const { tool = 'Bash', units } = asked;
  expect(verdict({ tool, units, rules: { allow: rules } })).toBe('allow');
});

test('for a compound: one for each part that needs approval, and none for the others', () => {
  const npm = command('npm test');
  const make = command('make build');
  const out = file('Edit', '/p/out.txt');
  const suggested = ['Bash(npm test *)', 'Bash(make build)'];
  expect(suggest({ units: [npm, make, out], suggested, open: [make, out] })).toEqual([
    'Bash(make build)',
    'Edit(//p/out.txt)',
  ]);
});

test('at most five', () => {
  const units = Array.from({ length: 9 }, (_, index) => own(`/p/${index}`));
  expect(suggest({ tool: 'Write', units })).toHaveLength(5);
});

test('nothing dangerous, nothing of more than one line, nothing that would not count', () => {
  expect(suggest({ units: [command('python3 x')], suggested: ['Bash(python3 *)'] })).toEqual([
    'Bash(python3 x)',
  ]);
  expect(suggest({ units: [command('a\nb')] })).toEqual([]);
  expect(
    suggest({
      units: [command('ls'), command('x', { allowBy: 'none' })],
      suggested: ['Bash(git *)', 'Bash(x)'],
    }),
  ).toEqual(['Bash(ls)']);
  expect(suggest({ tool: 'Write', units: [own('/p/a\nb')] })).toEqual([]);
  expect(suggest({ tool: 'Write', units: [own('/p/a '), own('/p/x', true)] })).toEqual([]);
});
