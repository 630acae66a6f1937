import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Dialog, LanguageModel } from '@toolgate/core';
import { expect, onTestFinished, test } from 'vitest';
import { createStandardToolgate, type StandardOptions } from '../src/index.ts';

/** A judge that answers with a script. */
function judge(script: (asked: string) => object | Promise<object>): LanguageModel {
  return {
    specificationVersion: 'v3',
    provider: 'scripted',
    modelId: 'judge',
    async doGenerate({ prompt }) {
      const answer = { matched: 'none', confidence: 'high', addressesJudge: false, reason: 'So.' };
      const given = { ...answer, ...(await script(JSON.stringify(prompt))) };
      return { content: [{ type: 'text', text: JSON.stringify(given) }] };
    },
  };
}

async function standard(settings: object, options: Partial<StandardOptions> = {}) {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'toolgate-side-query-')));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const cwd = join(home, 'project');
  await mkdir(join(home, '.claude'), { recursive: true });
  await mkdir(cwd);
  await writeFile(join(home, '.claude/settings.json'), JSON.stringify(settings));
  const gate = await createStandardToolgate({
    cwd,
    home,
    managedFolder: join(home, 'none'),
    ...options,
  });
  onTestFinished(() => gate.close());
  let count = 0;
  const run = (command: string) =>
    gate.run({ type: 'tool_use', id: `toolu_${(count += 1)}`, name: 'Bash', input: { command } });
  return { home, cwd, run };
}

test('described in words: what matches runs without a question, deny rules and read-only commands ask no model', async () => {
  const asked: string[] = [];
  const { run } = await standard(
    {
      classifier: { allow: ['making empty files'] },
      permissions: { deny: ['Bash(touch secret)'] },
    },
    {
      model: judge((prompt) => {
        asked.push(prompt);
        return { verdict: 'allow', matched: 'd1' };
      }),
    },
  );
  expect((await run('touch a')).outcome).toBe('ok');
  expect((await run('touch secret')).outcome).toBe('refused');
  expect((await run('ls')).outcome).toBe('ok');
  expect(asked.length).toBe(1);
});

test('mode auto: the model decides, dangerous allow rules do not count, and a deny reaches the hooks', async () => {
  const verdicts: Readonly<Record<string, string>> = { 'make ok': 'allow', 'make bad': 'deny' };
  const retry = { hookSpecificOutput: { hookEventName: 'PermissionDenied', retry: true } };
  const { run } = await standard(
    {
      permissions: { defaultMode: 'auto', allow: ['Bash', 'Bash(python3 *)'] },
      hooks: {
        PermissionDenied: [
          { hooks: [{ type: 'command', command: `echo '${JSON.stringify(retry)}'` }] },
        ],
      },
    },
    {
      model: judge((prompt) => ({
        verdict:
          Object.entries(verdicts).find(([command]) => prompt.includes(command))?.[1] ?? 'ask',
      })),
    },
  );
  const said = async (command: string) => {
    const { decision, block } = await run(command);
    return [decision?.behavior, typeof block.content === 'string' ? block.content : ''];
  };
  expect((await said('make ok'))[0]).toBe('allow');
  expect((await said('touch edit'))[0]).toBe('allow');
  expect(await said('make bad')).toEqual([
    'deny',
    expect.stringMatching(
      /Auto mode refused it: So\.[^]*A hook of the person allows you to try this call again/,
    ),
  ]);
  expect(await said('python3 x.py')).toEqual([
    'deny',
    expect.stringMatching(/Auto mode asks: So\./),
  ]);
});

test('a late yes of the model closes the dialog, unless the person has begun to answer', async () => {
  for (const isTouched of [false, true]) {
    let answer: (given: object) => void = () => undefined;
    const opened: boolean[] = [];
    const dialog: Dialog = async (prompt, { signal, touched }) => {
      opened.push(prompt.classifier === 'pending');
      if (isTouched) touched();
      answer({ verdict: 'allow', matched: 'd1' });
      // The person thinks until the prompt is withdrawn, or says no at the next turn of the loop.
      if (isTouched) return { behavior: 'deny', message: 'No.' };
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined)));
    };
    const { run } = await standard(
      { classifier: { allow: ['making empty files'] } },
      {
        dialog,
        overrides: { classifierWaitMs: 10 },
        model: judge(() => new Promise((resolve) => (answer = resolve))),
      },
    );
    const { outcome } = await run('touch a');
    expect([opened, outcome]).toEqual([[true], isTouched ? 'refused' : 'ok']);
  }
});
