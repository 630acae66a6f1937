import { allow, buildTool, deny, definePlugin, type PermissionAnswer } from '@toolgate/core';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  createHookRunner,
  defineHook,
  definePermissionRequest,
  definePostToolBatch,
  definePostToolUse,
  definePreToolUse,
  hookEvents,
  toolEvents,
  type AnyHookDefinition,
  type HookResult,
  type HookRunnerOptions,
} from '../src/index.ts';
import {
  echoHi,
  envelope,
  group,
  hookGate,
  print,
  scripts,
  toolUse,
  value,
} from './helpers/hook-gate.ts';

let at: Awaited<ReturnType<typeof scripts>>;
beforeEach(async () => {
  at = await scripts();
});
afterEach(() => at.remove());

type More = NonNullable<Parameters<typeof hookGate>[2]>;
/** Runs one call under hooks of settings or functions, and says how everything ended. */
async function run(hooks: object | readonly AnyHookDefinition[], more: More = {}, use = echoHi) {
  const results: HookResult[] = [];
  const own = Array.isArray(hooks) ? (hooks as readonly AnyHookDefinition[]) : []; // as the type says
  const options: HookRunnerOptions = {
    hooks: own,
    onResult: (result) => void results.push(result),
    ...more.options,
  };
  const { gate, diagnostics, ran } = hookGate(at.folder, Array.isArray(hooks) ? {} : hooks, {
    ...more,
    options,
  });
  const turn = gate.runTurn({ role: 'assistant', content: [use] });
  const [outcome] = await turn.outcomes;
  const { content } = await turn.message;
  await gate.close();
  if (!outcome) throw new Error('no outcome');
  return {
    ran: ran.length,
    commands: ran,
    content: JSON.stringify(outcome.block.content),
    decision: outcome.decision,
    stop: outcome.stop?.reason,
    texts: content.flatMap((block) => ('text' in block ? [block.text] : [])),
    diagnostics,
    codes: diagnostics.map(({ code }) => code),
    results,
  };
}
function deferred<T>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** Nothing decides: the call must be asked about. */
const undecided = { permissions: () => undefined };
const request = (decision: object) => ({
  hookSpecificOutput: { hookEventName: 'PermissionRequest' as const, decision },
});
const prints = (answer: object) => print(JSON.stringify(answer));

describe('PermissionRequest', () => {
  const on = (...hooks: readonly (string | object)[]) => ({
    PermissionRequest: [group('Bash', ...hooks)],
  });
  const yes = prints(request({ behavior: 'allow' }));
  const no = prints(request({ behavior: 'deny', message: 'Not here.' }));

  test('it fires only when somebody must confirm, and its allow counts', async () => {
    expect(await run(on(yes), { gate: undecided })).toMatchObject({ ran: 1 });
    expect(await run(on(`touch fired; ${no}`))).toMatchObject({ ran: 1, results: [] });
  });

  test('a deny reaches the model with its message, and may end the turn', async () => {
    expect(await run(on(no), { gate: undecided })).toMatchObject({
      ran: 0,
      content: expect.stringContaining('Not here.'),
    });
    const interrupt = prints(request({ behavior: 'deny', message: 'Stop.', interrupt: true }));
    expect(await run(on(interrupt), { gate: undecided })).toMatchObject({ ran: 0, stop: 'Stop.' });
  });

  test.each([
    [`${yes}`, `sleep 0.3; ${no}`],
    [`sleep 0.3; ${yes}`, `${no}`],
  ])('deny beats allow whatever the speed', async (first, second) => {
    for (const hooks of [on(first, second), on(second, first)])
      expect(await run(hooks, { gate: undecided })).toMatchObject({ ran: 0 });
  });

  test('a deny does not wait for a slow sibling', async () => {
    const { ran, results } = await run(on(no, 'sleep 20'), { gate: undecided });
    expect([ran, results[0]?.outcome]).toEqual([0, 'blocking']);
  });

  test('exit code 2 does not answer a permission request: a person is still asked', async () => {
    const ended = deferred<undefined>();
    const afterHook = async (): Promise<PermissionAnswer> => {
      await ended.promise;
      return { behavior: 'allow' };
    };
    const asked = await run(on('echo no >&2; exit 2'), {
      gate: { ...undecided, dialog: afterHook },
      options: { onResult: () => ended.resolve(undefined) },
    });
    expect(asked).toMatchObject({ ran: 1, codes: ['hook-failed'] });

    const never = { ...undecided, dialog: () => new Promise<undefined>(() => undefined) };
    const blocked = await run(on({ command: 'exit 2', onFailure: 'block' }), { gate: never });
    expect(blocked).toMatchObject({ ran: 0, content: expect.stringContaining('set to block') });
  });

  test('an edit is checked again, and of two the last in configuration order is used', async () => {
    const edit = (command: string) =>
      prints(request({ behavior: 'allow', updatedInput: { command } }));
    const { commands, codes } = await run(on(`sleep 0.1; ${edit('echo a')}`, edit('echo b')), {
      gate: undecided,
    });
    // After a hook's edit only what allows the new input lets it run; here nobody does.
    expect([commands, codes]).toEqual([['echo b'], ['hook-overruled']]);
    const denied = await run(on(edit('echo b')), {
      gate: {
        permissions: ({ input }) => (input['command'] === 'echo b' ? deny('no') : undefined),
      },
    });
    expect(denied.ran).toBe(0);
  });

  test.each([
    { type: 'replaceRules', rules: [], behavior: 'deny', destination: 'session' },
    {
      type: 'removeRules',
      rules: [{ toolName: 'Bash' }],
      behavior: 'deny',
      destination: 'session',
    },
    {
      type: 'addRules',
      rules: [{ toolName: 'Bash' }],
      behavior: 'allow',
      destination: 'userSettings',
    },
    { type: 'addDirectories', directories: ['/'], destination: 'session' },
    { type: 'setMode', mode: 'bypassPermissions', destination: 'session' },
  ])('security 4: a hook does not get %j', async (update) => {
    const hooks = on(prints(request({ behavior: 'allow', updatedPermissions: [update] })));
    const { ran, codes } = await run(hooks, { gate: undecided });
    expect([ran, codes]).toEqual([1, ['rules-not-saved']]);
  });

  test.each([{ decision: 'approve' }, { decision: 'allow' }, { permissionDecision: 'allow' }])(
    '%j is no yes to a permission request, and is reported',
    async (answer) => {
      const { ran, codes } = await run(on(prints(answer)), { gate: undecided });
      expect([ran, codes]).toEqual([0, ['hook-output-invalid']]);
    },
  );

  test('it is told what rules would settle the question, and not the id of the call', async () => {
    await run(on('cat > seen'), { gate: undecided });
    const seen: unknown = JSON.parse(await at.read('seen'));
    expect(seen).toMatchObject({
      hook_event_name: 'PermissionRequest',
      permission_suggestions: [],
    });
    expect(seen).not.toHaveProperty('tool_use_id');
  });

  test('an ask that a person alone settles is not a hook’s to allow', async () => {
    const ask = {
      permissions: () => ({
        behavior: 'ask' as const,
        strength: 'person' as const,
        reason: 'rm -rf /',
      }),
    };
    expect(await run(on(yes), { gate: ask })).toMatchObject({ ran: 0, codes: ['answer-dropped'] });
  });
});

describe('PermissionDenied', () => {
  const on = (answer: object) => ({
    PermissionDenied: [
      group(
        '',
        `cat > seen; ${prints({ hookSpecificOutput: { hookEventName: 'PermissionDenied', ...answer } })}`,
      ),
    ],
  });
  const classifier = definePlugin({
    name: 'classifier',
    setup: (gate) =>
      gate.hooks.resolve.tap({ name: 'classifier', slot: 'classifier' }, () => deny('Too risky.')),
  });

  test('it hears of the classifier’s denials; retry adds a sentence and decides nothing', async () => {
    const gate = undecided;
    const { ran, content } = await run(on({ retry: true }), { gate, plugins: [classifier()] });
    expect([ran, content]).toEqual([
      0,
      expect.stringContaining('allows you to try this call again'),
    ]);
    expect(JSON.parse(await at.read('seen'))).toMatchObject({
      tool_use_id: 'toolu_1',
      reason: 'Too risky.',
    });
    const silent = await run(on({}), { gate, plugins: [classifier()] });
    expect(silent.content).not.toContain('try this call again');
  });

  test('it hears of no other denial', async () => {
    const rule = { permissions: () => deny('A rule.') };
    expect((await run(on({ retry: true }), { gate: rule })).results).toEqual([]);
    expect((await run(on({ retry: true }), { gate: undecided })).results).toEqual([]);
  });
});

describe('PostToolBatch', () => {
  const on = (command: string) => ({ PostToolBatch: [group('ignored', command)] });

  test('it sees each call with the text that the model gets', async () => {
    await run(on('cat > seen'));
    expect(JSON.parse(await at.read('seen'))).toMatchObject({
      hook_event_name: 'PostToolBatch',
      tool_calls: [
        {
          tool_name: 'Bash',
          tool_use_id: 'toolu_1',
          tool_input: { command: 'echo hi' },
          tool_response: 'hi',
        },
      ],
    });
  });

  test('exit 2 and a block end the loop before the next request; context goes to the model', async () => {
    expect(await run(on('echo enough >&2; exit 2'))).toMatchObject({ ran: 1, stop: 'enough' });
    expect(await run(on(prints({ decision: 'block', reason: 'no' })))).toMatchObject({
      stop: 'no',
    });
    const context = {
      hookSpecificOutput: { hookEventName: 'PostToolBatch', additionalContext: 'Run tests.' },
    };
    expect(await run(on(prints(context)))).toMatchObject({
      texts: ['Run tests.'],
      stop: undefined,
    });
  });
});

describe('functions', () => {
  test('a function answers like a script, and is told the same', async () => {
    const seen: unknown[] = [];
    const hook = definePreToolUse({
      name: 'guard',
      matcher: 'Bash',
      hook(input, id) {
        seen.push([input.tool_input['command'], input.hook_event_name, id]);
        return { decision: 'block', reason: 'A function says no.' };
      },
    });
    expect(await run([hook])).toMatchObject({
      ran: 0,
      content: expect.stringContaining('says no'),
    });
    expect(seen).toEqual([['echo hi', 'PreToolUse', 'toolu_1']]);
    expect(await run([{ ...hook, matcher: 'Edit' } as AnyHookDefinition])).toMatchObject({
      ran: 1,
    });
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('oops');
      },
    ],
    ['answers nonsense', () => 'no' as never],
    ['breaks the schema', () => ({ decision: 'deny' }) as never],
    ['hangs', () => new Promise<never>(() => undefined)],
  ])('one that %s before a tool blocks, unless it says to continue', async (_, hook) => {
    const definition = { name: 'guard', timeout: 0.1, hook };
    expect(await run([definePreToolUse(definition)])).toMatchObject({ ran: 0 });
    const lenient = await run([definePreToolUse({ ...definition, onFailure: 'continue' })]);
    // A deny in wrong words is taken all the same.
    expect(lenient.ran).toBe(_ === 'breaks the schema' ? 0 : 1);
    expect(await run([definePostToolUse({ ...definition, hook: hook as never })])).toMatchObject({
      ran: 1,
    });
  });

  test('each gets a copy of its own, and an output that is no JSON is told as text', async () => {
    const output = { big: 10n, text: 'kept' };
    const odd = buildTool({
      name: 'Odd',
      description: 'Gives no JSON.',
      inputSchema: z.object({}),
      call: () => ({ data: output }),
      mapToolResultToToolResultBlockParam: ({ text }) => ({ content: text }),
    });
    const seen: unknown[] = [];
    const hook = definePostToolUse({
      name: 'a',
      hook(input) {
        seen.push(input.tool_response);
        Object.assign(input, { tool_name: 'changed' });
      },
    });
    const again = definePostToolUse({
      name: 'b',
      hook: (input) => void seen.push(input.tool_name),
    });
    const { content, codes } = await run([hook, again], { tools: [odd] }, toolUse('Odd', {}));
    expect(seen).toEqual(['The output of this tool is no JSON.', 'Odd']);
    expect([content, codes]).toEqual(['"kept"', []]);
  });

  test('its signal aborts at the limit', async () => {
    let aborted = false;
    const hook = definePreToolUse({
      name: 'slow',
      timeout: 0.05,
      hook: (_input, _id, { signal }) =>
        new Promise<undefined>((resolve) => {
          signal.addEventListener('abort', () => {
            aborted = true;
            resolve(undefined);
          });
        }),
    });
    await run([hook]);
    expect(aborted).toBe(true);
  });

  test('once: it runs for the first call alone', async () => {
    let count = 0;
    const hook = definePreToolUse({ name: 'first', once: true, hook: () => void (count += 1) });
    const { gate } = hookGate(at.folder, {}, { options: { hooks: [hook] } });
    await gate.run(echoHi);
    await gate.run(toolUse('Bash', { command: 'echo b' }, 'toolu_2'));
    await gate.close();
    expect(count).toBe(1);
  });

  test('all events of the gate take functions', async () => {
    const heard: string[] = [];
    const note = (input: { readonly hook_event_name: string }) =>
      void heard.push(input.hook_event_name);
    const hooks: AnyHookDefinition[] = [
      definePreToolUse({ name: 'a', hook: note }),
      definePermissionRequest({
        name: 'b',
        hook: (input) => (note(input), request({ behavior: 'allow' }) as never),
      }),
      definePostToolUse({ name: 'c', hook: note }),
      definePostToolBatch({ name: 'd', hook: note }),
    ];
    expect(await run(hooks, { gate: undecided })).toMatchObject({ ran: 1 });
    expect(heard).toEqual(['PreToolUse', 'PermissionRequest', 'PostToolUse', 'PostToolBatch']);
  });

  test('allowManagedHooksOnly lets them run; managed disableAllHooks does not', async () => {
    const hook = definePreToolUse({ name: 'guard', hook: () => ({ decision: 'block' }) });
    const policy = (key: string) => ({ values: [value(key, true, 'policySettings')] });
    expect(await run([hook], policy('allowManagedHooksOnly'))).toMatchObject({ ran: 0 });
    expect(await run([hook], policy('disableAllHooks'))).toMatchObject({ ran: 1 });
  });
});

describe('hookAllow', () => {
  const rule = { behavior: 'ask', text: 'Bash', source: 'userSettings' } as const;
  const asks = {
    permissions: () => ({
      behavior: 'ask' as const,
      strength: 'ask' as const,
      reason: 'A rule.',
      rule,
    }),
  };
  const hooks = { PreToolUse: [group('Bash', print(envelope('allow')))] };

  test('H09: off, the ask of a rule stands; on for that file, the hook’s allow lifts it and is named', async () => {
    expect(await run(hooks, { gate: asks })).toMatchObject({ ran: 0 });
    const absolute = ['/settings/userSettings.json'];
    const { ran, decision } = await run(hooks, { gate: { ...asks, hookAllow: { absolute } } });
    expect(ran).toBe(1);
    expect(decision?.trail.at(-1)).toMatchObject({
      from: 'hookAllow',
      reason: expect.stringContaining(absolute[0] ?? ''),
    });
  });

  test('another file’s hook lifts nothing, and no deny is lifted', async () => {
    const other = { absolute: ['/settings/policySettings.json'] };
    expect(await run(hooks, { gate: { ...asks, hookAllow: other } })).toMatchObject({ ran: 0 });
    const absolute = ['/settings/userSettings.json'];
    const denies = { permissions: () => deny('no'), hookAllow: { absolute } };
    expect(await run(hooks, { gate: denies })).toMatchObject({ ran: 0 });
  });
});

describe('failure', () => {
  const broken = { PreToolUse: [group('Bash', { command: 'exit 7', onFailure: 'continue' })] };

  test.each(['userSettings', 'projectSettings', 'policySettings'] as const)(
    'security 27: %s can make failed hooks block, whatever the handler says',
    async (source) => {
      const values = [value('hooks', { onFailure: 'block' }, source)];
      expect(await run(broken, { values })).toMatchObject({ ran: 0, codes: ['hook-failed'] });
    },
  );

  test('no file can take that back', async () => {
    const values = [
      value('hooks', { onFailure: 'block' }, 'userSettings'),
      value('hooks', { onFailure: 'continue' }, 'projectSettings'),
    ];
    expect(await run(broken, { values })).toMatchObject({ ran: 0 });
    expect(await run(broken, { values: [value('hooks', { onFailure: 'no' })] })).toMatchObject({
      ran: 0,
    });
    expect(await run(broken, { options: { onFailure: 'block' } })).toMatchObject({ ran: 1 });
  });

  test.each([
    ['an allow at the top', { permissionDecision: 'allow' }],
    [
      'a wrong word',
      { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'approve' } },
    ],
    ['a rewrite at the top', { updatedInput: { command: 'echo b' } }],
    ['no event name', { hookSpecificOutput: { permissionDecision: 'ask' } }],
  ])('strict: %s blocks; otherwise it is reported', async (_, answer) => {
    const hooks = { PreToolUse: [group('Bash', prints(answer))] };
    const usual = await run(hooks);
    expect([usual.ran, usual.codes.length]).toEqual([1, 1]);
    expect(await run(hooks, { options: { strict: true } })).toMatchObject({ ran: 0 });
    const values = [value('hooks', { strict: true }, 'policySettings')];
    expect(await run(hooks, { values })).toMatchObject({ ran: 0 });
  });
});

describe('results', () => {
  test('each handler ends as success, blocking, non_blocking_error or cancelled', async () => {
    const hooks = {
      PreToolUse: [
        group('Bash', 'true', 'echo no >&2; exit 2', 'echo oops >&2; echo more >&2; exit 9', {
          command: 'sleep 20',
          timeout: 0.1,
        }),
      ],
    };
    const { results } = await run(hooks);
    const byHook = new Map(results.map((result) => [result.hook, result]));
    expect(byHook.get('true')).toMatchObject({
      outcome: 'success',
      exitCode: 0,
      event: 'PreToolUse',
      toolUseId: 'toolu_1',
    });
    expect(byHook.get('echo no >&2; exit 2')).toMatchObject({
      outcome: 'blocking',
      exitCode: 2,
      blockingError: { blockingError: 'no', command: 'echo no >&2; exit 2' },
    });
    expect(byHook.get('echo oops >&2; echo more >&2; exit 9')).toMatchObject({
      outcome: 'non_blocking_error',
      exitCode: 9,
      stderr: 'oops',
    });
    expect(byHook.get('sleep 20')).toMatchObject({ outcome: 'cancelled' });
    expect(results.every(({ durationMs }) => durationMs >= 0)).toBe(true);
  });

  test('the trace hears of them, too', async () => {
    const events: object[] = [];
    const listen = definePlugin({
      name: 'listen',
      setup: (gate) => gate.hooks.trace.tap('listen', (event) => void events.push(event)),
    });
    await run({ PreToolUse: [group('Bash', 'echo hm >&2; exit 3')] }, { plugins: [listen()] });
    expect(events).toContainEqual(
      expect.objectContaining({
        event: 'hook-end',
        hook: 'PreToolUse',
        id: 'toolu_1',
        outcome: 'non_blocking_error',
        exitCode: 3,
        stderr: 'hm',
      }),
    );
  });

  test('listeners and a modelFor that throw break nothing', async () => {
    const broken = () => {
      throw new Error('no luck');
    };
    const options = { onResult: broken, onStatus: broken, modelFor: broken };
    const hooks = {
      PreToolUse: [
        group(
          'Bash',
          { command: 'true', statusMessage: 's' },
          { type: 'prompt', prompt: 'p', model: 'm' },
        ),
      ],
    };
    const { ran, codes } = await run(hooks, { options });
    expect([ran, new Set(codes)]).toEqual([1, new Set(['hook-listener-failed', 'hook-failed'])]);
  });

  test('preventContinuation: the call runs, the turn carries the reason', async () => {
    const hooks = {
      PreToolUse: [group('Bash', prints({ continue: false, stopReason: 'Enough.' }))],
    };
    const { ran, stop, results } = await run(hooks);
    expect([ran, stop]).toEqual([1, 'Enough.']);
    expect(results[0]).toMatchObject({ preventContinuation: true, stopReason: 'Enough.' });
  });

  test('a status message is told when its handler starts', async () => {
    const told: unknown[] = [];
    const hooks = { PreToolUse: [group('Bash', { command: 'true', statusMessage: 'Checking' })] };
    await run(hooks, { options: { onStatus: (status) => void told.push(status) } });
    expect(told).toEqual([{ event: 'PreToolUse', hook: 'true', message: 'Checking' }]);
  });

  test('a text beyond 10,000 characters is kept whole in a file, and the model gets the beginning', async () => {
    const hooks = {
      PreToolUse: [group('Bash', `printf 'x%.0s' {1..12000} >&2; exit 2`)],
    };
    const { content } = await run(hooks);
    const path = /are in (\S+), with/.exec(content)?.[1] ?? '';
    const { readFile, rm } = await import('node:fs/promises');
    expect(await readFile(path, 'utf8')).toBe('x'.repeat(12_000));
    await rm(path);
    expect(content.length).toBeLessThan(10_400);
  });
});

describe('in the background', () => {
  /** Waits until a file is there. */
  const appeared = async (file: string) => {
    while ((await at.read(file)) === '') await new Promise((resolve) => setTimeout(resolve, 10));
  };
  const context = prints({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      additionalContext: 'Lint found 2 problems.',
    },
    systemMessage: 'Lint is done.',
  });
  const turnOf = async (gate: ReturnType<typeof hookGate>['gate'], id: string) => {
    const { content } = await gate.runTurn({
      role: 'assistant',
      content: [toolUse('Bash', { command: 'echo hi' }, id)],
    }).message;
    return content.flatMap((block) => ('text' in block ? [block.text] : []));
  };

  test.each([
    ['async', { command: `${context}; `, async: true }],
    [
      'a first line {"async": true}',
      { command: `echo '{"async": true}'; sleep 0.3; ${context}; ` },
    ],
  ])('%s: what it says goes to the model with the next turn', async (_, hook) => {
    const results: HookResult[] = [];
    const ended = deferred<undefined>();
    const { gate } = hookGate(
      at.folder,
      { PreToolUse: [group('Bash', hook)] },
      { options: { onResult: (result) => (results.push(result), ended.resolve(undefined)) } },
    );
    const first = await turnOf(gate, 'a');
    await ended.promise;
    const texts = [...first, ...(await turnOf(gate, 'b'))];
    await gate.close();
    expect(texts.join('\n')).toContain('Lint found 2 problems.\nLint is done.');
  });

  test('it cannot decide anything', async () => {
    const hook = { command: 'exit 2', async: true, onFailure: 'block' };
    expect(await run({ PreToolUse: [group('Bash', hook)] })).toMatchObject({ ran: 1 });
  });

  test('asyncTimeout is its limit from then on', async () => {
    const results: HookResult[] = [];
    const ended = deferred<undefined>();
    const onResult = (result: HookResult) => {
      results.push(result);
      ended.resolve(undefined);
    };
    const hook = `echo '{"async": true, "asyncTimeout": 100}'; sleep 300`;
    const { gate } = hookGate(
      at.folder,
      { PreToolUse: [group('Bash', hook)] },
      { options: { onResult } },
    );
    await gate.run(echoHi);
    await ended.promise;
    await gate.close();
    expect(results[0]?.outcome).toBe('cancelled');
  });

  test('asyncRewake: exit code 2 wakes the model with standard error', async () => {
    const woken = deferred<string>();
    const hook = { command: 'echo out; echo "Tests fail." >&2; exit 2', asyncRewake: true };
    const { gate } = hookGate(
      at.folder,
      { PostToolUse: [group('Bash', hook)] },
      { options: { onWake: (text) => woken.resolve(text) } },
    );
    await gate.run(echoHi);
    expect(await woken.promise).toBe('Tests fail.');
    await gate.close();
  });

  test('what still runs when the gate closes is killed and told as cancelled', async () => {
    const results: HookResult[] = [];
    const hook = { command: 'echo $$ > pid; exec sleep 30', async: true };
    const { gate } = hookGate(
      at.folder,
      { PreToolUse: [group('Bash', hook)] },
      { options: { onResult: (result) => void results.push(result) } },
    );
    await gate.run(echoHi);
    await appeared('pid');
    await gate.close();
    while (results.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(results[0]?.outcome).toBe('cancelled');
    const pid = Number(await at.read('pid'));
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});

describe('events that the agent fires', () => {
  async function fire(
    hooks: object,
    event: Parameters<ReturnType<typeof createHookRunner>['runHooks']>[0],
    input: Readonly<Record<string, unknown>>,
  ) {
    const runner = createHookRunner();
    const { gate, diagnostics } = hookGate(at.folder, hooks, { runner });
    const outcome = await runner.runHooks(event, input);
    await gate.close();
    return { outcome, codes: diagnostics.map(({ code }) => code) };
  }

  test('SessionStart: plain text and JSON are context, other fields are handed on', async () => {
    const hooks = {
      SessionStart: [
        group('startup', 'echo "On branch main."'),
        group('resume', 'echo wrong'),
        group(
          undefined,
          prints({
            hookSpecificOutput: {
              hookEventName: 'SessionStart',
              sessionTitle: 'T',
              additionalContext: 'c',
            },
          }),
        ),
      ],
    };
    expect(await fire(hooks, 'SessionStart', { source: 'startup' })).toEqual({
      outcome: { context: 'On branch main.\nc', fields: { sessionTitle: 'T' } },
      codes: [],
    });
  });

  test('what commands write to CLAUDE_ENV_FILE is handed to the agent, and the file goes', async () => {
    const write = `echo "export A=b" >> "$CLAUDE_ENV_FILE"; echo "$CLAUDE_ENV_FILE" > path`;
    const { outcome } = await fire({ SessionStart: [group('', write)] }, 'SessionStart', {
      source: 'startup',
    });
    expect(outcome.environment).toBe('export A=b\n');
    expect(existsSync((await at.read('path')).trim())).toBe(false);
    const none = await fire(
      { Stop: [group('', 'test -z "$CLAUDE_ENV_FILE" || exit 2')] },
      'Stop',
      {},
    );
    expect(none.outcome).toEqual({ fields: {} });
  });

  test('UserPromptSubmit and Stop can block, SessionStart cannot', async () => {
    const exit2 = [group('', 'echo why >&2; exit 2')];
    const prompt = await fire({ UserPromptSubmit: exit2 }, 'UserPromptSubmit', { prompt: 'hi' });
    expect(prompt.outcome.blocked).toEqual({ reason: 'why' });
    const stop = prints({ decision: 'block', reason: 'Run the tests first.' });
    expect((await fire({ Stop: [group('', stop)] }, 'Stop', {})).outcome.blocked).toEqual({
      reason: 'Run the tests first.',
    });
    const start = await fire({ SessionStart: exit2 }, 'SessionStart', { source: 'startup' });
    expect([start.outcome.blocked, start.codes]).toEqual([undefined, ['hook-failed']]);
  });

  test('hooks keep an agent from stopping eight times in a row, then it may stop', async () => {
    const stop = defineHook({
      name: 'stop',
      event: 'Stop',
      hook: () => ({ decision: 'block' }),
    });
    const fireNine = async (env: Readonly<Record<string, string>>) => {
      const runner = createHookRunner({ hooks: [stop], env });
      const { gate, diagnostics } = hookGate(at.folder, {}, { runner });
      const blocked: boolean[] = [];
      for (let count = 0; count < 10; count++)
        blocked.push((await runner.runHooks('Stop', {})).blocked !== undefined);
      await gate.close();
      return [blocked.indexOf(false), blocked.at(-1), diagnostics.length];
    };
    expect(await fireNine({})).toEqual([8, true, 1]);
    expect(await fireNine({ CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '2' })).toEqual([2, true, 3]);
    expect(await fireNine({ CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '0' })).toEqual([-1, true, 0]);
  });

  test('a failed hook keeps no agent from stopping, and no session from starting', async () => {
    const failing = [group('', { command: 'exit 9', onFailure: 'block' })];
    for (const event of ['Stop', 'SubagentStop', 'SessionStart'] as const)
      expect((await fire({ [event]: failing }, event, { source: 'startup' })).outcome).toEqual({
        fields: {},
      });
    const prompt = await fire({ UserPromptSubmit: failing }, 'UserPromptSubmit', { prompt: 'hi' });
    expect(prompt.outcome.blocked).toBeDefined();
  });

  test('the payload holds the event’s fields and the common ones', async () => {
    await fire({ Notification: [group('', 'cat > seen')] }, 'Notification', {
      message: 'm',
      notification_type: 'idle',
      session_id: 'forged',
    });
    expect(JSON.parse(await at.read('seen'))).toEqual({
      message: 'm',
      notification_type: 'idle',
      session_id: 'session-1',
      transcript_path: '',
      cwd: at.folder,
      permission_mode: 'default',
      hook_event_name: 'Notification',
    });
  });

  test('a handler with "if" never runs there, and says so; types that an event does not take are reported', async () => {
    const hooks = {
      SessionStart: [
        group(
          '',
          { command: 'touch ran', if: 'Bash' },
          { type: 'http', url: 'http://localhost:1/' },
        ),
      ],
    };
    const { codes } = await fire(hooks, 'SessionStart', { source: 'startup' });
    expect([codes, await at.read('ran')]).toEqual([['hook-invalid', 'hook-invalid'], '']);
  });

  test('an unknown event, and one that the gate fires itself, are mistakes of the caller', async () => {
    await expect(fire({}, 'sessionStart' as never, {})).rejects.toThrow(
      'there is no hook event "sessionStart"',
    );
    await expect(fire({}, 'PreToolUse', {})).rejects.toThrow(
      'PreToolUse is fired by the gate itself',
    );
    await expect(createHookRunner().runHooks('Stop', {})).rejects.toThrow('belong to no gate yet');
  });

  test('a hook of TypeScript can hear of any event', async () => {
    const runner = createHookRunner({
      hooks: [
        defineHook({
          name: 'n',
          event: 'Stop',
          hook: () => ({ decision: 'block', reason: 'go on' }),
        }),
      ],
    });
    const { gate } = hookGate(at.folder, {}, { runner });
    expect((await runner.runHooks('Stop', {})).blocked).toEqual({ reason: 'go on' });
    await gate.close();
  });

  test('the embedder’s mistakes in definitions are told at once', () => {
    const hook = () => undefined;
    expect(() => createHookRunner({ hooks: [{ name: '', event: 'Stop', hook }] })).toThrow(
      'no "name"',
    );
    expect(() =>
      createHookRunner({ hooks: [{ name: 'a', event: 'stop' as never, hook }] }),
    ).toThrow('no event "stop"');
    expect(() => createHookRunner({ hook: [] } as never)).toThrow('Did you mean "hooks"?');
  });
});

test('the catalogue: a summary for each event, and the values that a matcher may name', () => {
  const all = hookEvents([{ name: 'Bash' }, { name: 'Edit' }]);
  expect(Object.keys(all)).toHaveLength(34);
  for (const event of toolEvents.slice(0, 5))
    expect(all[event].matcherMetadata).toEqual({
      fieldToMatch: 'tool_name',
      values: ['Bash', 'Edit'],
    });
  expect(all.PostToolBatch.matcherMetadata).toBeUndefined();
  expect(all.SessionStart.matcherMetadata).toEqual({
    fieldToMatch: 'source',
    values: ['startup', 'resume', 'clear', 'compact', 'fork'],
  });
  expect(Object.values(all).every(({ summary }) => summary.endsWith('.'))).toBe(true);
});

test('a hook and the classifier run side by side: each waits for the other to have started', async () => {
  const classifier = definePlugin({
    name: 'classifier',
    setup(gate) {
      const check = async () => {
        await writeFile(join(at.folder, 'classifier'), 'started');
        while ((await at.read('hook')) === '')
          await new Promise((resolve) => setTimeout(resolve, 5));
        return allow('Harmless.', 'all');
      };
      gate.hooks.start.tap('classifier', () => ({ later: check() }));
      gate.hooks.resolve.tap(
        { name: 'classifier', slot: 'classifier' },
        ({ call }) => call.pendingClassifierCheck,
      );
    },
  });
  const hook = 'echo started > hook; until [ -s classifier ]; do sleep 0.01; done';
  const hooks = { PreToolUse: [group('Bash', hook)] };
  expect(await run(hooks, { gate: undecided, plugins: [classifier()] })).toMatchObject({ ran: 1 });
});
