import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Diagnostic, PermissionPrompt, Toolgate } from '@toolgate/core';
import { builtinTools } from '@toolgate/tools-builtin';
import { expect, onTestFinished, test } from 'vitest';
import { createStandardToolgate, type StandardOptions } from '../src/index.ts';

interface Project {
  readonly gate: Toolgate;
  readonly cwd: string;
  readonly home: string;
  readonly diagnostics: readonly Diagnostic[];
  readonly run: (name: string, input: unknown) => Promise<string>;
}

/** A standard gate over a folder with these files; `~/` puts a file into the home folder. */
async function project(
  files: Readonly<Record<string, string | object>>,
  options: Partial<StandardOptions> = {},
): Promise<Project> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'toolgate-standard-')));
  const home = join(folder, 'home');
  const cwd = join(folder, 'project');
  for (const place of [home, cwd]) await mkdir(place);
  for (const [name, content] of Object.entries(files)) {
    const path = name.startsWith('~/') ? join(home, name.slice(2)) : join(cwd, name);
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  }
  const diagnostics: Diagnostic[] = [];
  const onDiagnostic = (diagnostic: Diagnostic) => void diagnostics.push(diagnostic);
  const gate = await createStandardToolgate({ cwd, home, onDiagnostic, ...options });
  onTestFinished(async () => {
    await gate.close();
    await rm(folder, { recursive: true, force: true });
  });
  const run = async (name: string, input: unknown) => {
    const { block } = await gate.run({ type: 'tool_use', id: 'toolu_1', name, input });
    return typeof block.content === 'string' ? block.content : JSON.stringify(block.content);
  };
  return { gate, cwd, home, diagnostics, run };
}

test('a Read deny holds against Read, cat, globs, redirects and recursion; Grep leaves the file out and says so', async () => {
  const { run } = await project({
    '.claude/settings.json': { permissions: { deny: ['Read(.env)'] } },
    '.env': 'KEY=private',
    'a.txt': 'KEY=public',
  });
  const readers = [
    'cat .env',
    'cat .e*',
    'cat < .env',
    'while read -r l; do echo "$l"; done < .env',
    'ls -A | xargs cat',
    'grep -r KEY .',
    'for f in .e??; do cat "$f"; done',
    'cat $(echo .env)',
    'cat .//.env',
    'cd .. && cat project/.env',
    'base64 .env',
    'awk 1 .env',
    'jq -R . .env',
    'tac .env',
  ];

  for (const command of readers)
    expect([command, await run('Bash', { command })]).toEqual([
      command,
      expect.stringMatching(/^<tool_use_error>/),
    ]);
  expect(await run('Read', { file_path: '.env' })).toMatch(/^<tool_use_error>/);
  const found = await run('Grep', { pattern: 'KEY', output_mode: 'content' });
  expect(found).toContain('public');
  expect(found).not.toContain('private');
  expect(found).toMatch(/1 file/);
});

test('the same readers ask nothing when no rule denies', async () => {
  const { run } = await project({ '.env': 'KEY=mine' });

  for (const command of ['cat .env', 'cat .e*', 'cat < .env', 'grep -r KEY .', 'base64 .env'])
    expect([command, await run('Bash', { command })]).not.toEqual([
      command,
      expect.stringMatching(/^<tool_use_error>/),
    ]);
});

test('rules of the user count at once, those of an untrusted folder only when they tighten', async () => {
  const { run, cwd, diagnostics } = await project({
    '~/.claude/settings.json': { permissions: { allow: ['Bash(touch user*)'] } },
    '.claude/settings.json': {
      permissions: { allow: ['Bash(touch project*)'], deny: ['Bash(touch user2)'] },
    },
  });

  await run('Bash', { command: 'touch user1' });
  await run('Bash', { command: 'touch user2' });
  await run('Bash', { command: 'touch project1' });

  const made = ['user1', 'user2', 'project1'].map((name) => existsSync(join(cwd, name)));
  expect(made).toEqual([true, false, false]);
  expect(diagnostics.map(({ code }) => code)).toContain('held-back');
});

test('a person who says "always" is not asked again in this session, and nothing is written', async () => {
  const prompts: PermissionPrompt[] = [];
  const { run, cwd } = await project(
    {},
    {
      dialog: async (prompt) => {
        prompts.push(prompt);
        return { behavior: 'allow', rules: ['Bash(touch *)'], destination: 'session' };
      },
    },
  );

  await run('Bash', { command: 'touch a' });
  await run('Bash', { command: 'touch b' });

  expect(prompts.map(({ input }) => input)).toEqual([{ command: 'touch a' }]);
  expect([existsSync(join(cwd, 'a')), existsSync(join(cwd, 'b'))]).toEqual([true, true]);
  expect(existsSync(join(cwd, '.claude'))).toBe(false);
});

test('a critical removal asks a person whatever the rules and the mode allow', async () => {
  const prompts: PermissionPrompt[] = [];
  const { run, gate } = await project(
    { '~/.claude/settings.json': { permissions: { allow: ['Bash'] } } },
    {
      dialog: async (prompt) => {
        prompts.push(prompt);
        return { behavior: 'deny' };
      },
    },
  );
  gate.policy.setMode('bypassPermissions');

  const commands = ['rm -rf /', 'echo "$(rm -rf ~)"', 'rm -rf "$DIR"/*', 'bash -c "rm -rf /usr"'];
  for (const command of commands) await run('Bash', { command });

  expect(prompts.map(({ input, strength }) => [input['command'], strength])).toEqual(
    commands.map((command) => [command, 'person']),
  );
});

test('cd moves the session inside the working directories and not out of them', async () => {
  const { run, gate, cwd } = await project({ 'sub/a.txt': 'in sub' });

  await run('Bash', { command: 'cd sub && pwd' });
  expect(gate.cwd).toBe(join(cwd, 'sub'));
  expect(await run('Read', { file_path: 'a.txt' })).toContain('in sub');
  await run('Bash', { command: 'cd /' });
  expect(gate.cwd).toBe(join(cwd, 'sub'));
});

test('a hook that rewrites is judged anew: what the old input was allowed is not what runs', async () => {
  const rewrite = JSON.stringify({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      updatedInput: { command: 'touch rewritten' },
    },
  });
  const { run, cwd } = await project(
    {
      'hook.sh': `printf '%s' '${rewrite}'`,
      '.claude/settings.json': {
        permissions: { allow: ['Bash(npm test)'] },
        hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'bash hook.sh' }] }] },
      },
    },
    { trust: true },
  );

  expect(await run('Bash', { command: 'npm test' })).toMatch(/^<tool_use_error>/);
  expect(existsSync(join(cwd, 'rewritten'))).toBe(false);
});

test('git that only reads runs without a rule, until the repository names a program', async () => {
  const { run, cwd } = await project({ 'a.txt': 'one\n' });
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd, stdio: 'pipe' });
  git('init', '-q');
  expect(await run('Bash', { command: 'git status --short' })).toContain('?? a.txt');
  expect(await run('Bash', { command: 'git log -1 && touch x' })).toMatch(/^<tool_use_error>/);

  await writeFile(join(cwd, 'spy'), '#!/bin/sh\ntouch "$PWD/pwned"\n', { mode: 0o755 });
  git('config', 'core.fsmonitor', './spy');
  expect(await run('Bash', { command: 'git status --short' })).toMatch(/^<tool_use_error>/);
  expect(existsSync(join(cwd, 'pwned'))).toBe(false);
});

test('a repository that names a program between the decision and the run is caught', async () => {
  const { run, cwd, gate } = await project(
    {
      spy: '#!/bin/sh\ntouch "$PWD/pwned"\n',
      '.claude/settings.json': {
        hooks: {
          PreToolUse: [
            {
              hooks: [
                { type: 'command', command: 'chmod +x spy; git config core.fsmonitor ./spy' },
              ],
            },
          ],
        },
      },
    },
    { trust: true },
  );
  execFileSync('git', ['init', '-q'], { cwd, stdio: 'pipe' });

  expect(await run('Bash', { command: 'git status' })).toContain('changed after it was approved');
  expect(existsSync(join(cwd, 'pwned'))).toBe(false);
  expect(gate.cwd).toBe(cwd);
});

test('reading, then editing a file works; editing one that was not read is refused', async () => {
  const { run, gate, cwd } = await project({ 'a.txt': 'one\n', 'b.txt': 'one\n' });
  gate.policy.addRules('session', { allow: ['Edit(/**)'] });

  await run('Read', { file_path: 'a.txt' });
  await run('Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' });
  const unread = await run('Edit', { file_path: 'b.txt', old_string: 'one', new_string: 'two' });

  expect(await readFile(join(cwd, 'a.txt'), 'utf8')).toBe('two\n');
  expect(unread).toMatch(/^<tool_use_error>/);
  expect(await readFile(join(cwd, 'b.txt'), 'utf8')).toBe('one\n');
});

test('overrides add tools and plugins beside the standard ones, and a missing settings file is one error', async () => {
  const { gate } = await project({});
  expect((await gate.toolDefinitions()).map(({ name }) => name)).toEqual(
    builtinTools.filter((tool) => tool.isEnabled()).map(({ name }) => name),
  );

  await expect(project({}, { settingsFiles: ['/nowhere/settings.json'] })).rejects.toMatchObject({
    name: 'ToolgateError',
    code: 'TG_OPTION_INVALID',
  });
});
