import { setImmediate } from 'node:timers/promises';
import { allow, type Opinion, type PermissionAnswer, type PermissionPrompt } from '@toolgate/core';
import { describe, expect, test } from 'vitest';
import { createPromptBroker } from '../../src/index.ts';
import { deferred } from '../helpers/deferred.ts';
import { echoGate, toolUse } from '../helpers/gate.ts';

const yes: PermissionAnswer = { behavior: 'allow' };

/** Runs a call that asks, and resolves once its prompt is open. */
async function asked(options: Parameters<typeof echoGate>[0] = {}) {
  const { promise, resolve } = deferred<{ prompt: PermissionPrompt; code: string }>();
  const closed: string[] = [];
  const broker = createPromptBroker({
    onOpen: resolve,
    onClose: ({ how }) => void closed.push(how),
  });
  const { gate, ran, diagnostics } = echoGate({ dialog: broker.dialog, ...options });
  const abort = new AbortController();
  const outcome = gate.run(toolUse(), { signal: abort.signal });
  const { prompt, code } = await promise;
  const reply = (answer: unknown = yes, more: object = {}) =>
    broker.answer({ id: prompt.id, digest: prompt.digest, code, answer, ...more });
  return { broker, ran, outcome, prompt, reply, abort, closed, diagnostics, gate };
}

describe('an open prompt', () => {
  test('is listed as JSON, without its code', async () => {
    const { broker, prompt, reply, outcome } = await asked();
    expect(broker.pending()).toEqual([prompt]);
    expect(JSON.parse(JSON.stringify(broker.pending()))).toEqual([prompt]);
    expect(Object.keys(prompt)).not.toContain('code');
    reply();
    await outcome;
    expect(broker.pending()).toEqual([]);
  });

  test('takes the first answer, once', async () => {
    const { reply, outcome, ran, closed } = await asked();
    expect([reply(), reply({ behavior: 'deny' }), reply()]).toEqual([
      'taken',
      'withdrawn',
      'withdrawn',
    ]);
    expect(await outcome).toMatchObject({ outcome: 'ok' });
    expect(ran).toHaveLength(1);
    expect(closed).toEqual(['answered']);
  });

  test.each<readonly [object, string]>([
    [{ id: 'other' }, 'unknown'],
    [{ digest: 'other' }, 'changed'],
    [{ code: 'guess' }, 'wrong-code'],
    [{ answer: { behavior: 'maybe' } }, 'invalid'],
    [{ answer: { behavior: 'allow', updateInput: {} } }, 'invalid'],
    [{ extra: 1 }, 'invalid'],
  ])('does not take %j', async (more, outcomeOfReply) => {
    const { reply, outcome, ran, abort, broker } = await asked();
    expect(reply(yes, more)).toBe(outcomeOfReply);
    expect(broker.pending()).toHaveLength(1);
    abort.abort();
    await outcome;
    expect(ran).toEqual([]);
  });

  test('is withdrawn after five wrong codes, and denied', async () => {
    const { reply, outcome, ran } = await asked();
    for (let guess = 0; guess < 5; guess += 1) reply(yes, { code: `${guess}` });
    expect(reply()).toBe('withdrawn');
    expect(await outcome).toMatchObject({ outcome: 'refused', code: 'permission_denied' });
    expect(ran).toEqual([]);
  });

  test('is withdrawn when a hook answers first, and an answer that comes later runs nothing', async () => {
    const hook = deferred<PermissionAnswer>();
    const { reply, outcome, ran, broker, closed } = await asked({
      plugins: [
        {
          name: 'hook',
          version: '1.0.0',
          requires: {},
          setup: ({ hooks }) =>
            hooks.prompt.tap({ name: 'h', slot: 'hooks' }, async () => ({
              by: 'hook',
              answer: await hook.promise,
            })),
        },
      ],
    });
    hook.resolve({ behavior: 'deny', message: 'No.' });
    expect(await outcome).toMatchObject({ outcome: 'refused' });
    expect([broker.pending(), closed, reply()]).toEqual([[], ['withdrawn'], 'withdrawn']);
    expect(ran).toEqual([]);
  });

  test('is withdrawn by an abort and by closing the broker', async () => {
    const first = await asked();
    first.abort.abort();
    expect(await first.outcome).toMatchObject({ outcome: 'aborted' });
    expect(first.reply()).toBe('withdrawn');
    const second = await asked();
    second.broker.close();
    expect(await second.outcome).toMatchObject({ outcome: 'refused' });
    expect(second.reply()).toBe('withdrawn');
    expect([...first.ran, ...second.ran]).toEqual([]);
  });
});

test('once somebody begins to answer, no classifier answers in their place', async () => {
  const judged = deferred<Opinion | undefined>();
  const { broker, prompt, reply, outcome, ran, diagnostics } = await asked({
    classifierWaitMs: 0,
    plugins: [
      {
        name: 'judge',
        version: '1.0.0',
        requires: {},
        setup: ({ hooks }) =>
          hooks.resolve.tap({ name: 'judge', slot: 'classifier' }, () => judged.promise),
      },
    ],
  });
  expect(prompt.classifier).toBe('pending');
  expect([broker.touch('other'), broker.touch(prompt.id)]).toEqual([false, true]);
  judged.resolve(allow('Fine.', 'all'));
  await setImmediate();
  reply({ behavior: 'deny', message: 'No.' });
  expect(await outcome).toMatchObject({ outcome: 'refused' });
  expect(ran).toEqual([]);
  expect(diagnostics).toMatchObject([{ message: expect.stringMatching(/begun to answer/) }]);
});

describe('an answer', () => {
  test('may edit the input, which then runs', async () => {
    const { reply, outcome, ran } = await asked();
    reply({ behavior: 'allow', updatedInput: { text: 'y' } });
    expect(await outcome).toMatchObject({ outcome: 'ok' });
    expect(ran).toEqual([{ text: 'y' }]);
  });

  test('may keep an edited rule for the session', async () => {
    const { reply, outcome, gate } = await asked();
    reply({ behavior: 'allow', rules: ['Ech*', 'Echo'], destination: 'session' });
    await outcome;
    expect(gate.policy.snapshot().rules.map(({ text }) => text)).toEqual(['Ech*', 'Echo']);
  });

  test('may say no with a message, and end the loop', async () => {
    const { reply, outcome } = await asked();
    reply({ behavior: 'deny', message: 'Use the other one.', interrupt: true });
    expect(await outcome).toMatchObject({
      block: { content: '<tool_use_error>Use the other one.</tool_use_error>' },
      stop: { reason: 'Use the other one.' },
    });
  });
});
