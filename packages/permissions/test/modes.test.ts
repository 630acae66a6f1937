import {
  createToolgate,
  definePlugin,
  emptySnapshot,
  type Diagnostic,
  type LanguageModel,
  type PermissionMode,
  type PermissionUnit,
} from '@toolgate/core';
import { expect, test } from 'vitest';
import { modes, rulesBackend } from '../src/index.ts';
import { command, entries, file, type RuleTexts } from './helpers/call.ts';
import { factsOf, standIns } from './helpers/vector-gate.ts';

interface Setup {
  readonly mode: PermissionMode;
  readonly units: readonly PermissionUnit[];
  readonly rules?: RuleTexts;
  readonly symlinks?: Readonly<Record<string, string>>;
  readonly readOnly?: boolean;
  readonly found?: Diagnostic[];
  readonly model?: LanguageModel;
}

async function decide({
  mode,
  units,
  rules = {},
  symlinks = {},
  readOnly = false,
  found = [],
  model,
}: Setup) {
  const facts = factsOf({ home: '/h', symlinks });
  const snapshot = { ...emptySnapshot, mode, rules: entries(rules), directories: ['/more'] };
  const gate = createToolgate({
    tools: standIns(() => ({ units, readOnly })),
    permissions: rulesBackend({ facts }),
    ...(model && { model }),
    plugins: [modes({ facts })],
    settings: { current: () => snapshot },
    facts,
    cwd: '/p',
    onDiagnostic: (diagnostic) => found.push(diagnostic),
  });
  const { behavior } = await gate.explain({
    type: 'tool_use',
    id: 'm',
    name: 'Bash',
    input: { command: 'x' },
  });
  return behavior;
}

const writes = (...paths: readonly string[]) => ({
  writes: paths.map((path) => ({ path, realPath: path })),
});

test.each<[string, Setup, string]>([
  ['default asks', { mode: 'default', units: [command('npm i')] }, 'ask'],
  ['auto is default', { mode: 'auto', units: [command('npm i')] }, 'ask'],
  ['bypass allows', { mode: 'bypassPermissions', units: [command('npm i')] }, 'allow'],
  [
    'bypass keeps asks',
    { mode: 'bypassPermissions', units: [command('npm i')], rules: { ask: ['Bash'] } },
    'ask',
  ],
  [
    'bypass keeps denies',
    { mode: 'bypassPermissions', units: [command('npm i')], rules: { deny: ['Bash'] } },
    'deny',
  ],
  [
    'bypass lifts a soft ask',
    { mode: 'bypassPermissions', units: [command('x'), file('Edit', '/p/.git/config')] },
    'allow',
  ],
  ['dontAsk denies', { mode: 'dontAsk', units: [command('npm i')] }, 'deny'],
  [
    'dontAsk denies asks',
    { mode: 'dontAsk', units: [command('npm i')], rules: { ask: ['Bash'] } },
    'deny',
  ],
  [
    'dontAsk runs what is allowed',
    { mode: 'dontAsk', units: [command('npm i')], rules: { allow: ['Bash'] } },
    'allow',
  ],
  [
    'plan asks for an allowed write',
    { mode: 'plan', units: [command('npm i')], rules: { allow: ['Bash'] } },
    'ask',
  ],
  [
    'acceptEdits allows writes inside',
    { mode: 'acceptEdits', units: [command('touch a', writes('/p/a', '/more/b'))] },
    'allow',
  ],
  [
    'acceptEdits asks outside',
    { mode: 'acceptEdits', units: [command('touch a', writes('/p/a', '/q/b'))] },
    'ask',
  ],
  [
    'acceptEdits asks for other commands',
    { mode: 'acceptEdits', units: [command('touch a', writes('/p/a')), command('npm i')] },
    'ask',
  ],
  [
    'acceptEdits knows no empty writes',
    { mode: 'acceptEdits', units: [command('mkdir', writes())] },
    'ask',
  ],
  [
    'acceptEdits allows a redirect inside',
    {
      mode: 'acceptEdits',
      units: [command('ls'), file('Edit', '/p/a')],
      rules: { allow: ['Bash(ls)'] },
    },
    'allow',
  ],
  [
    'acceptEdits asks for open writes',
    {
      mode: 'acceptEdits',
      units: [command('ls'), file('Edit', '/p', { open: true })],
      rules: { allow: ['Bash(ls)'] },
    },
    'ask',
  ],
  [
    'acceptEdits asks for reads outside',
    { mode: 'acceptEdits', units: [command('touch a', writes('/p/a')), file('Read', '/etc/x')] },
    'ask',
  ],
  [
    'acceptEdits keeps asks',
    {
      mode: 'acceptEdits',
      units: [command('touch a', writes('/p/a'))],
      rules: { ask: ['Bash(touch *)'] },
    },
    'ask',
  ],
  [
    'acceptEdits follows links',
    {
      mode: 'acceptEdits',
      units: [command('ls'), file('Edit', '/p/l', { realPath: '/q/l' })],
      rules: { allow: ['Bash(ls)'] },
    },
    'ask',
  ],
  [
    'acceptEdits takes a folder that is a link',
    {
      mode: 'acceptEdits',
      units: [command('ls'), file('Edit', '/p/l', { realPath: '/private/p/l' })],
      rules: { allow: ['Bash(ls)'] },
      symlinks: { '/p': '/private/p' },
    },
    'allow',
  ],
])('%s', async (_name, setup, expected) => {
  expect(await decide(setup)).toBe(expected);
});

test('mode auto says once that it is default', async () => {
  const found: Diagnostic[] = [];
  await decide({ mode: 'auto', units: [command('npm i')], found });
  expect(found).toMatchObject([{ code: 'mode-auto-unavailable' }]);
});

test('modes load beside other plugins', () => {
  const other = definePlugin({ name: 'other', setup: () => undefined });
  expect(() => createToolgate({ plugins: [other(), modes()] })).not.toThrow();
});

/** Only has to be there: these decisions are made without it. */
const model: LanguageModel = {
  specificationVersion: 'v3',
  provider: 'none',
  modelId: 'none',
  doGenerate: () => Promise.reject(new Error('not to be asked')),
};

test('with a model, mode auto lets edits in the working directories run and leaves the rest to it', async () => {
  const found: Diagnostic[] = [];
  const auto = (unit: PermissionUnit, more: Partial<Setup> = {}) =>
    decide({ mode: 'auto', model, units: [unit], found, ...more });
  const edit = (path: string) => command(`touch ${path}`, writes(path));

  expect(await auto(edit('/p/a'))).toBe('allow');
  expect(await auto(edit('/etc/a'))).toBe('ask');
  expect(await auto(command('npm i'))).toBe('ask');
  expect(await auto(command('npm i'), { rules: { allow: ['Bash(npm i)'] } })).toBe('allow');
  expect(found).toEqual([]);
});

test.for(['Bash', 'Bash(*)', 'Bash(python *)', 'Bash(npx:*)', 'Bash(sudo *)'])(
  'in mode auto %s suspends itself; elsewhere it allows',
  async (rule) => {
    const rules = { allow: [rule] };
    const text = /\((\w+)/.exec(rule)?.[1] ?? 'make';
    const units = [command(`${text} x`)];
    expect(await decide({ mode: 'auto', model, units, rules })).toBe('ask');
    expect(await decide({ mode: 'default', units, rules })).toBe('allow');
  },
);

test.each<[string, readonly string[], string]>([
  ['every command', ['Bash'], 'npm i'],
  ['every command, as a star', ['Bash(*)'], 'npm i'],
  ['an interpreter', ['Bash(python3 *)'], 'python3 x'],
  ['a package runner', ['Bash(npx *)'], 'npx x'],
])('auto suspends an allow rule for %s, and no narrow one', async (_what, allow, text) => {
  const units = [command(text)];
  const narrow = [`Bash(${text})`];
  expect(await decide({ mode: 'default', units, rules: { allow } })).toBe('allow');
  expect(await decide({ mode: 'auto', units, rules: { allow } })).toBe('ask');
  expect(await decide({ mode: 'auto', units, rules: { allow: [...allow, ...narrow] } })).toBe(
    'allow',
  );
});
