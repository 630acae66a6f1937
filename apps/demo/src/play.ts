import type { Toolgate, TraceEvent } from '@toolgate/core';
import { reportOf, type CallReport } from './report.ts';
import type { Expectation, Script, ScriptedCall } from './script.ts';

type Turn = Script['turns'][number];

/** The id of a call: its turn and its place in it. */
export const idOf = (turn: number, index: number): string => `toolu_${turn + 1}_${index + 1}`;

/** The call with that id. */
export const callWithId = (script: Script, id: string): ScriptedCall | undefined =>
  script.turns
    .flatMap(({ calls }, turn) => calls.map((call, index) => ({ call, id: idOf(turn, index) })))
    .find((entry) => entry.id === id)?.call;

/** Plays one assistant turn: the model's message in, the user message and the reports out. */
export async function playTurn(
  gate: Toolgate,
  { say, calls }: Turn,
  turn: number,
  expectationOf: (id: string, call: ScriptedCall) => Expectation,
): Promise<readonly CallReport[]> {
  const uses = calls.map(({ name, input }, index) => ({
    type: 'tool_use' as const,
    id: idOf(turn, index),
    name,
    input,
  }));
  const running = gate.runTurn({
    role: 'assistant',
    content: [{ type: 'text', text: say }, ...uses],
  });
  const events = collect(running.events());
  const outcomes = await running.outcomes;
  const { content } = await running.message;
  const answered = content.flatMap((block) => ('tool_use_id' in block ? [block.tool_use_id] : []));
  if (answered.join() !== uses.map(({ id }) => id).join())
    throw new Error(`turn ${turn + 1}: the results do not answer the calls one by one`);
  const all = await events;
  return calls.flatMap((call, index) => {
    const [id, outcome] = [idOf(turn, index), outcomes[index]];
    const own = all.filter((event) => event.id === id);
    return outcome ? [reportOf(turn + 1, call, outcome, own, expectationOf(id, call))] : [];
  });
}

async function collect(events: AsyncIterable<TraceEvent>): Promise<readonly TraceEvent[]> {
  const all: TraceEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}
