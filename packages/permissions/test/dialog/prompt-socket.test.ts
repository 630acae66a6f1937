import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { PermissionPrompt } from '@toolgate/core';
import { afterEach, describe, expect, test } from 'vitest';
import { connectPrompts, createPromptBroker, servePrompts } from '../../src/index.ts';
import { deferred } from '../helpers/deferred.ts';
import { echoGate, toolUse } from '../helpers/gate.ts';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).toReversed()) await step();
});

const socketPath = () => join(mkdtempSync(join(tmpdir(), 'prompts-')), 's');

async function servedCall() {
  const opened = deferred<{ prompt: PermissionPrompt; code: string }>();
  const broker = createPromptBroker({ onOpen: opened.resolve });
  const path = socketPath();
  const served = await servePrompts(broker, path);
  cleanUp.push(() => served.close());
  const { gate, ran } = echoGate({ dialog: broker.dialog });
  const outcome = gate.run(toolUse());
  return { path, served, broker, outcome, ran, ...(await opened.promise) };
}

/** Another process, which answers as it is told. */
function answerer(path: string) {
  const script = fileURLToPath(new URL('../helpers/answer-prompts.ts', import.meta.url));
  const child = spawn(process.execPath, ['--conditions=@toolgate/source', script, path], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  cleanUp.push(() => child.kill());
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => JSON.parse((await lines.next()).value ?? 'null');
  const send = (reply: object) => (child.stdin.write(`${JSON.stringify(reply)}\n`), next());
  return { next, send };
}

describe('across processes', () => {
  test('another process sees the whole prompt and answers it by id, digest and code', async () => {
    const { path, outcome, ran, prompt, code } = await servedCall();
    const other = answerer(path);
    expect(await other.next()).toEqual([prompt]);
    const reply = { id: prompt.id, digest: prompt.digest, code, answer: { behavior: 'allow' } };
    expect(await other.send({ ...reply, code: 'wrong' })).toBe('wrong-code');
    expect(await other.send({ ...reply, digest: 'wrong' })).toBe('changed');
    expect(ran).toEqual([]);
    expect(await other.send(reply)).toBe('taken');
    expect(await outcome).toMatchObject({ outcome: 'ok' });
    expect(await other.send(reply)).toBe('withdrawn');
    expect(ran).toHaveLength(1);
  });

  test('of two processes that answer at once one is taken', async () => {
    const { path, outcome, prompt, code } = await servedCall();
    const remotes = await Promise.all([connectPrompts(path), connectPrompts(path)]);
    cleanUp.push(() => remotes.map((remote) => remote.close()));
    const reply = { id: prompt.id, digest: prompt.digest, code };
    const outcomes = await Promise.all(
      remotes.map((remote) => remote.answer({ ...reply, answer: { behavior: 'deny' } })),
    );
    expect(outcomes.toSorted()).toEqual(['taken', 'withdrawn']);
    expect(await outcome).toMatchObject({ outcome: 'refused' });
  });
});

describe('the socket', () => {
  test('lies in a folder of this user alone', async () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'prompts-')), 'new');
    const path = join(folder, 's');
    const served = await servePrompts(createPromptBroker(), path);
    cleanUp.push(() => served.close());
    expect([statSync(folder).mode & 0o777, statSync(path).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  test('is refused in a folder that is open to others', async () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'prompts-')), 'open');
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    await expect(servePrompts(createPromptBroker(), join(folder, 's'))).rejects.toThrow('0700');
  });

  test('is not taken from a process that still serves, and is from one that ended', async () => {
    const { path, served } = await servedCall();
    await expect(servePrompts(createPromptBroker(), path)).rejects.toThrow('in use');
    await served.close();
    if (!existsSync(path)) writeFileSync(path, '');
    const again = await servePrompts(createPromptBroker(), path);
    cleanUp.push(() => again.close());
    const remote = await connectPrompts(path);
    cleanUp.push(() => remote.close());
    expect(await remote.list()).toEqual([]);
  });

  test('answers nonsense with a sentence, and goes on', async () => {
    const { path } = await servedCall();
    const socket = createConnection(path);
    cleanUp.push(() => socket.destroy());
    const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
    for (const nonsense of ['{', '7', '{"do":"answer"}', '{"do":"answer","reply":[]}']) {
      socket.write(`${nonsense}\n`);
      expect((await lines.next()).value).toMatch(/error|invalid/);
    }
  });
});
