import { rm, writeFile } from 'node:fs/promises';
import { createToolgate } from '@toolgate/core';
import { expect, test } from 'vitest';
import { places, put, texts } from './helpers.ts';

test('a deny added by hand counts at the next look; an allow waits, with its place', async () => {
  const { user, open } = await places();
  await put(user, { permissions: { allow: ['A'] } });
  const live = await open();
  const before = live.current();
  expect(live.current()).toBe(before);

  await put(user, '{"permissions": {"allow": ["A",\n "B"], "deny": ["C"]}}');
  expect(texts(live.current().rules)).toEqual(['allow A', 'deny C']);
  expect(live.waiting()).toEqual([
    {
      what: 'allow B',
      source: 'userSettings',
      file: user,
      line: 2,
      pointer: '/permissions/allow/1',
    },
  ]);
  expect(live.current().diagnostics).toEqual([
    {
      code: 'settings-waiting',
      severity: 'warning',
      message:
        "allow B changed while running and would loosen, so it waits for a person's yes or the next session.",
      file: user,
      line: 2,
      pointer: '/permissions/allow/1',
    },
  ]);
  live.accept();
  expect(texts(live.current().rules)).toEqual(['allow A', 'allow B', 'deny C']);
  expect([live.waiting(), live.current().diagnostics]).toEqual([[], []]);
});

test('what was taken out: an allow goes at once, a deny, an ask, a stricter mode and hooks stay until accepted', async () => {
  const { user, open } = await places();
  await put(user, {
    permissions: { allow: ['A'], deny: ['B'], ask: ['C'], defaultMode: 'plan' },
    hooks: { PreToolUse: [] },
  });
  const live = await open();
  await put(user, { permissions: { defaultMode: 'acceptEdits', additionalDirectories: ['/x'] } });

  const { rules, mode, directories, values } = live.current();
  expect(texts(rules)).toEqual(['deny B', 'ask C']);
  expect([mode, directories, values.map(({ key }) => key)]).toEqual(['plan', [], ['hooks']]);
  expect(live.waiting().map(({ what }) => what)).toEqual([
    'no longer deny B',
    'no longer ask C',
    'mode acceptEdits',
    'folder /x',
    '"hooks"',
  ]);
  live.accept();
  expect(live.current()).toMatchObject({
    rules: [],
    mode: 'acceptEdits',
    directories: ['/x'],
    values: [],
  });
});

test('a stricter mode and a mode that is switched off count at once', async () => {
  const { user, open } = await places();
  await put(user, { permissions: { defaultMode: 'bypassPermissions' } });
  const live = await open();
  await put(user, {
    permissions: { defaultMode: 'acceptEdits', disableBypassPermissionsMode: 'disable' },
  });
  expect(live.current()).toMatchObject({
    mode: 'acceptEdits',
    switchedOff: ['bypassPermissions'],
  });
});

test('a file that becomes invalid keeps its last good version and says so; mended, it is read again', async () => {
  const { user, open } = await places();
  await put(user, { permissions: { allow: ['A'], deny: ['B'] } });
  const live = await open();
  await put(user, '{"permissions": {"allow": ["X"], "deny": ["C"]');
  const { rules, diagnostics } = live.current();

  expect(texts(rules)).toEqual(['allow A', 'deny B', 'deny C']);
  expect(diagnostics.map(({ code }) => code)).toContain('settings-kept');
  expect(diagnostics.find(({ code }) => code === 'settings-kept')?.message).toMatch(
    /^This settings file is no longer valid; its last good version counts\. Not valid JSON at line 1/,
  );

  await put(user, { permissions: { allow: ['A'], deny: ['B'] } });
  live.accept();
  expect(texts(live.current().rules)).toEqual(['allow A', 'deny B']);
  expect(live.current().diagnostics).toEqual([]);
});

test('a file that comes, and one that goes, are seen; what the one that went denied stays', async () => {
  const { project, open } = await places();
  const live = await open();
  await put(project, { permissions: { deny: ['A'] } });
  expect(texts(live.current().rules)).toEqual(['deny A']);
  await rm(project);
  expect(texts(live.current().rules)).toEqual([]); // it was never accepted as a whole
  await put(project, { permissions: { deny: ['A'] } });
  live.current();
  live.accept();
  await rm(project);
  expect(texts(live.current().rules)).toEqual(['deny A']);
});

test('changes are heard of between calls', async () => {
  const { user, open } = await places();
  await put(user, {});
  const live = await open({ watch: true });
  const heard = new Promise<readonly string[]>((resolve) => {
    live.onChange(({ rules }) => resolve(texts(rules)));
  });
  await writeFile(user, '{"permissions": {"deny": ["A"]}}');
  expect(await heard).toEqual(['deny A']);
});

test('security 14: a call of a running turn is bound by a deny written meanwhile, and freed by nothing', async () => {
  const { user, cwd, open } = await places();
  await put(user, {});
  const live = await open();
  const gate = createToolgate({ settings: live, cwd });
  expect(texts(gate.policy.snapshot().rules)).toEqual([]);
  await put(user, { permissions: { deny: ['Bash'], allow: ['Read'] } });
  expect(texts(gate.policy.snapshot().rules)).toEqual(['deny Bash']);
  await gate.close();
});
