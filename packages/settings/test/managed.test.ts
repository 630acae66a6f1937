import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { managedFolderOf } from '../src/index.ts';
import { places, put, texts } from './helpers.ts';

test('the organisation’s file and its drop-ins are read, by name, as policySettings', async () => {
  const { managed, managedFolder, open } = await places();
  await put(managed, { permissions: { deny: ['A'], defaultMode: 'plan' } });
  await put(join(managedFolder, 'managed-settings.d/20-b.json'), { permissions: { deny: ['C'] } });
  await put(join(managedFolder, 'managed-settings.d/10-a.json'), {
    permissions: { deny: ['B'], defaultMode: 'acceptEdits' },
  });
  await put(join(managedFolder, 'managed-settings.d/readme.txt'), 'no settings');
  const { rules, mode, diagnostics } = (await open()).current();

  expect(rules.map(({ text, source }) => [text, source])).toEqual([
    ['A', 'policySettings'],
    ['B', 'policySettings'],
    ['C', 'policySettings'],
  ]);
  expect([mode, diagnostics]).toEqual(['acceptEdits', []]);
});

test('no --settings file and no project is stronger than the organisation', async () => {
  const { base, managed, user, open } = await places();
  const flag = join(base, 'flag.json');
  await put(managed, {
    permissions: { defaultMode: 'plan', disableBypassPermissionsMode: 'disable' },
  });
  await put(user, { permissions: { defaultMode: 'bypassPermissions' } });
  await put(flag, { permissions: { defaultMode: 'acceptEdits' } });
  const settings = (await open({ settingsFiles: [flag] })).current();

  expect([settings.mode, settings.switchedOff]).toEqual(['plan', ['bypassPermissions']]);
});

test('allowManagedPermissionRulesOnly: other rules no longer allow, and still deny and ask', async () => {
  const { managed, user, open } = await places();
  await put(managed, {
    allowManagedPermissionRulesOnly: true,
    permissions: { allow: ['Bash(make *)'] },
  });
  await put(user, { permissions: { allow: ['Bash', 'Read'], deny: ['Edit'], ask: ['Write'] } });
  const { rules, diagnostics } = (await open()).current();

  expect(texts(rules)).toEqual(['deny Edit', 'ask Write', 'allow Bash(make *)']);
  expect(diagnostics).toEqual([
    {
      code: 'held-back',
      severity: 'warning',
      message:
        '2 allow rules of this file held back: your organisation lets its own rules alone allow (allowManagedPermissionRulesOnly).',
      file: user,
      line: 1,
      pointer: '/permissions/allow/0',
    },
  ]);
});

test('the same key in another source means nothing', async () => {
  const { user, open } = await places();
  await put(user, { allowManagedPermissionRulesOnly: true, permissions: { allow: ['Bash'] } });
  expect(texts((await open()).current().rules)).toEqual(['allow Bash']);
});

test('a broken file of the organisation keeps its deny rules and says so', async () => {
  const { managed, managedFolder, open } = await places();
  await put(managed, '{"permissions": {"deny": ["A"], "allow": ["B"]');
  await mkdir(join(managedFolder, 'managed-settings.d/folder.json'), { recursive: true });
  const { rules, diagnostics } = (await open()).current();

  expect(texts(rules)).toEqual(['deny A']);
  expect(diagnostics.map(({ code }) => code)).toEqual(['settings-unreadable', 'settings-syntax']);
});

test('each system has its place for them', () => {
  expect(managedFolderOf('linux')).toBe('/etc/claude-code');
  expect(managedFolderOf('darwin')).toBe('/Library/Application Support/ClaudeCode');
  expect(managedFolderOf('win32')).toBe(String.raw`C:\Program Files\ClaudeCode`);
});

test.for([
  [
    'cut short',
    '{"permissions": {"deny": ["Bash(rm *)"], "disableBypassPermissionsMode": "disable"',
  ],
  ['no object', '["deny"]'],
  ['a folder', undefined],
] as const)(
  'security: a managed file that is broken at the start (%s) lets nobody loosen in its place',
  async ([what, content]) => {
    const { managed, user, open } = await places();
    if (content === undefined) await mkdir(managed, { recursive: true });
    else await put(managed, content);
    await put(user, { permissions: { allow: ['Bash(curl *)'], defaultMode: 'bypassPermissions' } });
    const { rules, mode, switchedOff, values, diagnostics } = (await open()).current();

    expect(texts(rules)).toEqual(what === 'cut short' ? ['deny Bash(rm *)'] : []);
    expect([mode, switchedOff]).toEqual(['default', ['bypassPermissions', 'auto']]);
    expect(values.map(({ key, source }) => [key, source])).toEqual([
      ['allowManagedPermissionRulesOnly', 'policySettings'],
      ['allowManagedHooksOnly', 'policySettings'],
    ]);
    expect(diagnostics.some(({ severity, file }) => severity === 'error' && file === managed)).toBe(
      true,
    );
  },
);
