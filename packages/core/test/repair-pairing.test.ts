import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { repairPairing } from '../src/index.ts';
import { runs } from './helpers.ts';

type Message = { readonly role: string; readonly content: unknown };
const use = (id: unknown, name = 'Bash') => ({ type: 'tool_use', id, name, input: {} });
const result = (id: unknown, content = 'done') => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
});
const text = (said: string) => ({ type: 'text', text: said });
const assistant = (...content: readonly unknown[]): Message => ({ role: 'assistant', content });
const user = (...content: readonly unknown[]): Message => ({ role: 'user', content });
const lost = (id: string) => ({
  type: 'tool_result',
  tool_use_id: id,
  content:
    '<tool_use_error>The result of this call was lost, and whether it ran is not known. Check what it did before sending it again.</tool_use_error>',
  is_error: true,
});

describe('a conversation', () => {
  test('that is in order stays the very same messages', () => {
    const messages = [
      { role: 'user', content: 'Go.' },
      assistant(text('Well.'), use('a'), use('b')),
      user(result('a'), result('b'), text('And?')),
      assistant(text('Done.')),
    ];
    const repaired = repairPairing(messages);
    expect(repaired.changes).toEqual([]);
    expect(repaired.messages.every((message, index) => message === messages[index])).toBe(true);
    expect(repaired.messages).toHaveLength(4);
  });
  test.for<[string, readonly Message[], readonly Message[], readonly string[]]>([
    [
      'ends with calls that were never answered',
      [assistant(use('a'), use('b'))],
      [assistant(use('a'), use('b')), user(lost('a'), lost('b'))],
      ['added 0 a', 'added 0 b'],
    ],
    [
      'goes on with words where results should be',
      [assistant(use('a')), { role: 'user', content: 'Stop.' }],
      [assistant(use('a')), user(lost('a'), text('Stop.'))],
      ['added 0 a'],
    ],
    [
      'goes on with the assistant where results should be',
      [assistant(use('a')), assistant(text('And?')), user(result('a'))],
      [assistant(use('a')), user(result('a')), assistant(text('And?'))],
      ['moved 2 a'],
    ],
    [
      'has its results in two messages and in the wrong order',
      [assistant(use('a'), use('b')), user(text('x'), result('b')), user(result('a'), text('y'))],
      [assistant(use('a'), use('b')), user(result('a'), result('b'), text('x')), user(text('y'))],
      ['moved 2 a'],
    ],
    [
      'has results without a call, before it, and twice',
      [
        user(result('a'), text('x')),
        assistant(use('a')),
        user(result('a'), result('a'), result('c')),
      ],
      [user(text('x')), assistant(use('a')), user(result('a'))],
      ['removed 0 a', 'removed 2 a', 'removed 2 c'],
    ],
    [
      'loses its calls and keeps their results',
      [assistant(text('x')), user(result('a')), assistant(text('y'))],
      [assistant(text('x')), assistant(text('y'))],
      ['removed 1 a'],
    ],
    [
      'uses an id twice in one message',
      [assistant(use('a'), use('a')), user(result('a', '1'), result('a', '2'))],
      [assistant(use('a'), use('a_2')), user(result('a', '1'), result('a_2', '2'))],
      ['renamed 0 a_2'],
    ],
    [
      'uses an id again later, each time with its result',
      [assistant(use('a')), user(result('a', '1')), assistant(use('a')), user(result('a', '2'))],
      [
        assistant(use('a')),
        user(result('a', '1')),
        assistant(use('a_2')),
        user(result('a_2', '2')),
      ],
      ['renamed 2 a_2'],
    ],
    [
      'uses an id again when the first call was never answered',
      [assistant(use('a')), user(text('no')), assistant(use('a')), user(result('a', '2'))],
      [
        assistant(use('a')),
        user(lost('a'), text('no')),
        assistant(use('a_2')),
        user(result('a_2', '2')),
      ],
      ['renamed 2 a_2', 'added 0 a'],
    ],
    [
      'has a call without an id, and calls and results on the wrong side',
      [assistant(use(undefined), result('b')), user(use('c'), text('x'))],
      [assistant(use('toolu_2')), user(lost('toolu_2'), text('x'))],
      ['renamed 0 toolu_2', 'removed 1 c', 'added 0 toolu_2', 'removed 0 b'],
    ],
  ])('that %s', (given) => {
    const [, messages, expected, changes] = given;
    const repaired = repairPairing(messages);
    expect(repaired.messages).toEqual(expected);
    expect(
      repaired.changes.map(({ kind, message, toolUseId }) => `${kind} ${message} ${toolUseId}`),
    ).toEqual(changes);
  });
});

const anyId = fc.constantFrom<unknown>('a', 'b', 'a_2', 'c', '', undefined, 5);
const anyBlock = fc.oneof(
  anyId.map((id) => use(id)),
  fc.tuple(anyId, fc.constantFrom('1', '2')).map(([id, content]) => result(id, content)),
  fc.constantFrom('x', 'y', 'z').map(text),
  fc.constant<unknown>(null),
  fc.constant<unknown>('words'),
);
const anyMessage = fc.record({
  role: fc.constantFrom('user', 'assistant', 'system'),
  content: fc.oneof(
    fc.array(anyBlock, { maxLength: 5 }),
    fc.constant<unknown>('words'),
    fc.constant<unknown>(undefined),
  ),
});
const typeOf = (block: unknown) => Object(block).type as unknown;
const blocks = ({ content }: Message): readonly any[] => (Array.isArray(content) ? content : []);

/** What the Messages API wants, checked in its own way. */
function inOrder(messages: readonly Message[]): boolean {
  const seen = new Set<string>();
  return messages.every((message, index) => {
    const calls = blocks(message).filter((block) => typeOf(block) === 'tool_use');
    const answers = blocks(message).filter((block) => typeOf(block) === 'tool_result');
    const before = index > 0 ? messages[index - 1] : undefined;
    const open = before?.role === 'assistant' ? blocks(before) : [];
    const asked = open.filter((block) => typeOf(block) === 'tool_use').map(({ id }) => id);
    const ids = calls.map(({ id }) => id as string);
    const areOwn = ids.every(
      (id) => typeof id === 'string' && id !== '' && !seen.has(id) && seen.add(id),
    );
    const head = blocks(message).slice(0, answers.length);
    return (
      areOwn &&
      (calls.length === 0 ||
        (message.role === 'assistant' && messages[index + 1]?.role === 'user')) &&
      JSON.stringify(answers.map((block) => block.tool_use_id)) ===
        JSON.stringify(message.role === 'user' ? asked : []) &&
      head.every((block) => typeOf(block) === 'tool_result')
    );
  });
}

test('what is no message stays, and does no harm', () => {
  const odd = [null, 'words', assistant(use('a')), 5] as unknown as Message[];
  expect(repairPairing(odd).messages).toEqual([
    null,
    'words',
    assistant(use('a')),
    user(lost('a')),
    5,
  ]);
});

describe('any conversation', () => {
  const everyRun = { numRuns: runs(500, 50_000) };
  test('ends in order, once and for all, and is never changed itself', () => {
    fc.assert(
      fc.property(fc.array(anyMessage, { maxLength: 8 }), (messages) => {
        const before = structuredClone(messages);
        const { messages: repaired, changes } = repairPairing<Message>(messages);
        expect(inOrder(repaired)).toBe(true);
        expect(messages).toEqual(before);
        const again = repairPairing(repaired);
        expect(again.changes).toEqual([]);
        expect(again.messages).toEqual(repaired);
        expect(changes.length > 0).toBe(!inOrder(messages));
      }),
      everyRun,
    );
  });
  test('keeps every call, and all that is neither call nor result, in order', () => {
    const others = (messages: readonly Message[]) =>
      messages.flatMap(({ role, content }) =>
        (typeof content === 'string' ? [text(content)] : blocks({ role, content }))
          .filter((block) => typeOf(block) !== 'tool_use' && typeOf(block) !== 'tool_result')
          .map((block) => [role, block]),
      );
    const calls = (messages: readonly Message[]) =>
      messages
        .filter(({ role }) => role === 'assistant')
        .flatMap(blocks)
        .filter((block) => typeOf(block) === 'tool_use').length;
    fc.assert(
      fc.property(fc.array(anyMessage, { maxLength: 8 }), (messages) => {
        const { messages: repaired } = repairPairing<Message>(messages);
        expect(others(repaired)).toEqual(others(messages));
        expect(calls(repaired)).toBe(calls(messages));
      }),
      everyRun,
    );
  });
});
