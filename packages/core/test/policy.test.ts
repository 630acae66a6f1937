import { describe, expect, test } from 'vitest';
import {
  emptySnapshot,
  type PermissionUpdate,
  type PluginGate,
  type SettingsSnapshot,
} from '../src/index.ts';
import { gateWith } from './helpers.ts';

const policyWith = () => gateWith({ cwd: '/p' }).gate.policy;
const texts = (policy: ReturnType<typeof policyWith>) =>
  policy.snapshot().rules.map(({ behavior, text, source }) => `${source} ${behavior} ${text}`);
const rules = (
  type: 'addRules' | 'replaceRules' | 'removeRules',
  written: readonly string[],
  behavior: 'allow' | 'deny' = 'allow',
): PermissionUpdate => ({
  type,
  rules: written.map((toolName) => ({ toolName })),
  behavior,
  destination: 'session',
});

describe('what an owner adds', () => {
  test('lives as long as the owner wants', () => {
    const policy = policyWith();
    const command = policy.addRules('command', { allow: ['A'] });
    policy.addRules('session', { allow: ['A'] });
    const folder = policy.addDirectories(['/q']);
    policy.addDirectories(['/q', '/r']);
    command[Symbol.dispose]();
    folder[Symbol.dispose]();
    expect(texts(policy)).toEqual(['session allow A']);
    expect(policy.snapshot().directories).toEqual(['/q', '/r']);
  });
});

describe('updates', () => {
  test('add, replace and remove rules of one behavior of one source', () => {
    const policy = policyWith();
    policy.addRules('cliArg', { allow: ['C'] });
    policy.update(rules('addRules', ['A', 'B']));
    policy.update(rules('addRules', ['A'], 'deny'));
    policy.update(rules('removeRules', ['A']));
    expect(texts(policy)).toEqual(['cliArg allow C', 'session allow B', 'session deny A']);
    policy.update(rules('replaceRules', ['D']));
    expect(texts(policy)).toEqual(['cliArg allow C', 'session deny A', 'session allow D']);
  });

  test('write content in parentheses', () => {
    const policy = policyWith();
    policy.update({
      type: 'addRules',
      rules: [{ toolName: 'Bash', ruleContent: 'echo "(" *' }],
      behavior: 'ask',
      destination: 'cliArg',
    });
    expect(texts(policy)).toEqual(['cliArg ask Bash(echo "(" *)']);
  });

  test('add and remove directories', () => {
    const policy = policyWith();
    const destination = 'session' as const;
    policy.update({ type: 'addDirectories', directories: ['/q', '/r/../s'], destination });
    policy.update({ type: 'removeDirectories', directories: ['/q/'], destination });
    expect(policy.snapshot().directories).toEqual(['/s']);
  });

  test('reach no settings file, and no mode that nobody knows', () => {
    const policy = policyWith();
    expect(() =>
      policy.update({ ...rules('addRules', ['A']), destination: 'userSettings' }),
    ).toThrow('update changes session and cliArg, not "userSettings".');
    expect(() => policy.update({ type: 'setMode', mode: 'plan', destination: 'session' })).toThrow(
      'needs a plugin that knows modes',
    );
    expect(texts(policy)).toEqual([]);
  });
});

describe('a mode that settings switch off', () => {
  const knowsModes = {
    plugin: ({ hooks }: PluginGate) =>
      hooks.resolve.tap({ name: 'm', slot: 'mode' }, () => undefined),
  };
  test('cannot be set, and ends when it is switched off later', () => {
    let settings: SettingsSnapshot = emptySnapshot;
    const { gate } = gateWith({ ...knowsModes, settings: { current: () => settings } });
    gate.policy.setMode('bypassPermissions');
    settings = { ...emptySnapshot, switchedOff: ['bypassPermissions'] };
    expect([gate.policy.mode, gate.policy.snapshot().mode]).toEqual(['default', 'default']);
    expect(() => gate.policy.setMode('bypassPermissions')).toThrow('switched off by settings');
  });
});
