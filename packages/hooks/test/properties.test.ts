import fc from 'fast-check';
import { expect, test } from 'vitest';
import { combineStart } from '../src/combine-start.ts';
import type { Handler } from '../src/handler.ts';
import { hookEventNames, type HookEvent } from '../src/hook-events.ts';
import type { HookOutput } from '../src/hook-output.ts';
import { readOutput } from '../src/read-output.ts';
import { envelope } from './helpers/hook-gate.ts';

const handler = (index = 0, more: Partial<Handler> = {}): Handler =>
  ({
    type: 'command',
    command: `hook ${index}`,
    shell: 'bash',
    timeoutMs: 1000,
    onFailure: 'continue',
    isStrict: false,
    isAsync: false,
    rewakes: false,
    isOnce: false,
    matcher: '',
    source: 'userSettings',
    pointer: `/${index}`,
    ...more,
  }) as Handler; // a command's fields
const ended = (stdout: string, exitCode = 0, stderr = '') =>
  ({ state: 'ended', exitCode, stdout, stderr, cut: false }) as const;
const event = fc.constantFrom<HookEvent>(...hookEventNames);

test('deny > defer > ask > allow > nothing, in every order', () => {
  const order = ['deny', 'defer', 'ask', 'allow', undefined] as const;
  const decisions = fc.array(fc.constantFrom(...order), { minLength: 1, maxLength: 8 });
  const call = { input: {}, observedInput: {} } as Parameters<typeof combineStart>[1]; // only its inputs are read
  fc.assert(
    fc.property(decisions, (all) => {
      const said = all.map((decision, index) => ({
        handler: handler(index),
        output: (decision ? { decision } : {}) satisfies HookOutput,
      }));
      const strongest = order.find((decision) => all.includes(decision));
      const expected = strongest === 'defer' ? 'ask' : strongest;
      expect(combineStart(said, call).answer?.opinion?.behavior).toBe(expected);
    }),
  );
});

test('security 16: nothing but exactly one JSON document beside exit code 0 allows, rewrites or updates', () => {
  const answers = fc.constantFrom(
    envelope('allow'),
    envelope('allow', { updatedInput: { command: 'x' } }),
    '{"decision":"approve"}',
    '{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":"x"}}',
    '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}',
    '{"hookSpecificOutput":{"hookEventName":"PermissionDenied","retry":true}}',
  );
  const noise = fc.oneof(fc.string(), fc.json(), answers).filter((text) => text.trim() !== '');
  fc.assert(
    fc.property(event, answers, noise, fc.boolean(), (name, answer, other, isFirst) => {
      const stdout = isFirst ? `${other}\n${answer}` : `${answer}\n${other}`;
      const { output } = readOutput(name, handler(), ended(stdout));
      expect(consentOf(output)).toEqual([]);
    }),
  );
  fc.assert(
    fc.property(event, answers, fc.integer({ min: 1, max: 255 }), (name, answer, exitCode) => {
      const { output } = readOutput(name, handler(), ended(answer, exitCode));
      expect(consentOf(output)).toEqual([]);
    }),
  );
});

test('whatever a handler prints, reading it throws nothing, and a blocking one that failed denies', () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.json(), fc.constant('{'.repeat(5_000)));
  fc.assert(
    fc.property(
      event,
      text,
      text,
      fc.integer({ min: 3, max: 255 }),
      (name, stdout, stderr, code) => {
        readOutput(name, handler(), ended(stdout, 0, stderr));
        const blocking = readOutput(
          name,
          handler(0, { onFailure: 'block' }),
          ended(stdout, code, stderr),
        );
        expect(blocking.output.decision).toBe('deny');
      },
    ),
  );
});

/** What an output says yes to. */
const consentOf = ({ decision, ...output }: HookOutput): readonly string[] => [
  ...(decision === 'allow' ? ['allow'] : []),
  ...(['updatedInput', 'updatedOutput', 'updates', 'retry'] as const).filter((key) => output[key]),
];
