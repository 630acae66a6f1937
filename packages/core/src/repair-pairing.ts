import { wrapError } from './messages-for-model.ts';

/** A message of a conversation, as far as pairing needs it. */
interface Message {
  readonly role: string;
  readonly content: unknown;
}
type Block = Readonly<Record<string, unknown>>;

/** What was changed, and where: the index of the message in the given conversation. */
export interface PairingChange {
  /**
   * `added`: a result for a call that had none. `moved`: a result that stood elsewhere. `removed`: a result without
   * a call, a second result, or a call of somebody who is not the assistant. `renamed`: a call whose id
   * another call had, or that had none; its result goes with it.
   */
  readonly kind: 'added' | 'moved' | 'removed' | 'renamed';
  readonly message: number;
  /** As it is afterwards; of what was removed, as it was. */
  readonly toolUseId: string;
}

/** A result block, and where it stands. */
interface Placed {
  readonly block: Block;
  readonly message: number;
  readonly index: number;
}

const missing = wrapError(
  'The result of this call was lost, and whether it ran is not known. Check what it did before sending it again.',
);
const isBlock = (block: unknown): block is Block => typeof block === 'object' && block !== null;
const hasType = (type: string) => (block: unknown) => isBlock(block) && block['type'] === type;
const isUse = hasType('tool_use');
const isResult = hasType('tool_result');
const roleOf = (message: Message | undefined): unknown => Object(message).role;
const blocksOf = (message: Message | undefined): readonly unknown[] =>
  Array.isArray(message?.content) ? message.content : [];

/**
 * Makes a conversation one that a model takes: each `tool_use` of an assistant has an id of its own, and exactly
 * one `tool_result` in the user message right after it, in the order of the calls and before anything else there.
 * Results that stand elsewhere are moved, lost ones replaced by an error, the others removed. What is in
 * order stays the same object, and the given messages are never changed.
 */
export function repairPairing<M extends Message>(
  messages: readonly M[],
): { readonly messages: readonly M[]; readonly changes: readonly PairingChange[] } {
  const changes: PairingChange[] = [];
  const uses = usesOf(messages, changes);
  const results = resultsOf(messages, uses, changes);
  const repaired: M[] = [];
  for (const [index, message] of messages.entries()) {
    const content = blocksOf(message);
    const answers = (roleOf(message) === 'user' && results.get(index - 1)) || [];
    const rest = content.filter((block) => !isResult(block) && !isUse(block));
    if (roleOf(message) === 'assistant')
      repaired.push(withContent(message, [...(uses.get(index)?.content ?? rest)]));
    else if (answers.length === 0) {
      if (rest.length > 0 || content.length === 0) repaired.push(withContent(message, rest));
    } else repaired.push(withContent(message, [...answers, ...(textOf(message) ?? rest)]));
    // A message made here has the shape of the others, with nothing but role and content.
    const own = results.get(index);
    if (own && roleOf(messages[index + 1]) !== 'user')
      repaired.push({ role: 'user', content: own } as unknown as M);
  }
  return { messages: repaired, changes };
}

const textOf = ({ content }: Message): readonly unknown[] | undefined =>
  typeof content === 'string'
    ? content === ''
      ? []
      : [{ type: 'text', text: content }]
    : undefined;

/** The message itself where its blocks stay the same ones. */
function withContent<M extends Message>(message: M, content: readonly unknown[]): M {
  const given = blocksOf(message);
  const isSame =
    typeof Object(message).content === 'string'
      ? content.length === 0
      : content.length === given.length && content.every((block, index) => block === given[index]);
  return isSame ? message : { ...message, content };
}

/** An assistant message with calls: its blocks under ids of their own, and the calls' old and new ids. */
interface Calls {
  readonly content: readonly unknown[];
  readonly ids: readonly { readonly given: unknown; readonly id: string }[];
}

/** The calls by message. An id that is taken or missing becomes another; calls of others are removed. */
function usesOf(
  messages: readonly Message[],
  changes: PairingChange[],
): ReadonlyMap<number, Calls> {
  const given = messages.flatMap(blocksOf).flatMap((block) => (isUse(block) ? [idOf(block)] : []));
  const reserved = new Set<unknown>(given);
  const taken = new Set<unknown>();
  const fresh = (id: unknown): string => {
    const base = typeof id === 'string' && id !== '' ? id : 'toolu';
    let number = 2;
    while (reserved.has(`${base}_${number}`)) number += 1;
    reserved.add(`${base}_${number}`);
    return `${base}_${number}`;
  };
  const calls = new Map<number, Calls>();
  for (const [message, one] of messages.entries()) {
    const ids: { given: unknown; id: string }[] = [];
    const content = blocksOf(one).flatMap((block): readonly unknown[] => {
      if (roleOf(one) !== 'assistant' && isUse(block))
        changes.push({ kind: 'removed', message, toolUseId: String(idOf(block)) });
      if (roleOf(one) === 'assistant' && isResult(block)) return [];
      if (roleOf(one) !== 'assistant' || !isUse(block)) return [block];
      const old = idOf(block);
      const isGood = typeof old === 'string' && old !== '' && !taken.has(old);
      const id = isGood ? old : fresh(old);
      taken.add(id);
      ids.push({ given: old, id });
      if (isGood) return [block];
      changes.push({ kind: 'renamed', message, toolUseId: id });
      return [{ ...Object(block), id }];
    });
    if (ids.length > 0) calls.set(message, { content, ids });
  }
  return calls;
}

const idOf = (block: unknown): unknown => (isBlock(block) ? block['id'] : undefined);

/** The results by the message of their calls, in the order of the calls. */
function resultsOf(
  messages: readonly Message[],
  uses: ReadonlyMap<number, Calls>,
  changes: PairingChange[],
): ReadonlyMap<number, readonly unknown[]> {
  const left = new Map<unknown, Placed[]>();
  for (const [message, one] of messages.entries())
    for (const [index, block] of blocksOf(one).entries())
      if (isResult(block) && isBlock(block)) {
        const placed = left.get(block['tool_use_id']) ?? [];
        left.set(block['tool_use_id'], [...placed, { block, message, index }]);
      }
  /** The first result after the call and before another message that calls with the same id. */
  const take = (given: unknown, from: number): Placed | undefined => {
    const later = [...uses].find(
      ([at, { ids }]) => at > from && ids.some((id) => id.given === given),
    );
    const until = later?.[0] ?? Infinity;
    const placed = left.get(given) ?? [];
    const found = placed.find(
      ({ message }) => message > from && message < until && roleOf(messages[message]) === 'user',
    );
    if (found)
      left.set(
        given,
        placed.filter((one) => one !== found),
      );
    return found;
  };
  const results = new Map<number, readonly unknown[]>();
  for (const [message, { ids }] of uses)
    results.set(
      message,
      ids.map(({ given, id }, index) => {
        const found = take(given, message);
        if (!found) {
          changes.push({ kind: 'added', message, toolUseId: id });
          return { type: 'tool_result', tool_use_id: id, content: missing, is_error: true };
        }
        if (found.message !== message + 1 || found.index !== index)
          changes.push({ kind: 'moved', message: found.message, toolUseId: id });
        return given === id ? found.block : { ...found.block, tool_use_id: id };
      }),
    );
  for (const { block, message } of [...left.values()].flat())
    changes.push({ kind: 'removed', message, toolUseId: String(block['tool_use_id']) });
  return results;
}
