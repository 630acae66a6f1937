import { knownReplacement, replacementFor, textIn, withText } from './bound-result.ts';
import { ledgerKey } from './call-ledger.ts';
import { attempt, neverAborts } from './hooks/guard.ts';
import type { ToolUse } from './messages.ts';
import type { CallOutcome } from './outcome.ts';
import type { Parts, Turn } from './run.ts';

/** Texts this short are not worth a file: what stands in for them would not be much shorter. */
const minChars = 1_500;
const previewChars = 1_000;

interface Surroundings {
  readonly parts: Parts;
  readonly turn: Turn;
}

/**
 * Keeps the results of a turn together within the gate's `maxTurnResultChars`: the largest are stored first,
 * until the rest fits. Of a conversation that is replayed the same results are replaced, and no others:
 * what its `contentReplacementState` has seen stays as it was.
 */
export async function fitTurn(
  uses: readonly unknown[],
  ended: readonly CallOutcome[],
  run: Surroundings,
): Promise<readonly CallOutcome[]> {
  const state = run.turn.context.contentReplacementState;
  const sizes = ended.map(({ block }) => textIn(block.content).length);
  const outcomes = [...ended];
  let total = sizes.reduce((sum, size) => sum + size, 0);
  const largestFirst = [...sizes.keys()].toSorted((a, b) => (sizes[b] ?? 0) - (sizes[a] ?? 0));
  for (const index of largestFirst) {
    const [outcome, size] = [outcomes[index], sizes[index]];
    if (!outcome || !size || size < minChars) break;
    const id = outcome.block.tool_use_id;
    const isFixed = state?.seenIds.has(id) ?? false;
    const fits = total <= run.parts.maxTurnResultChars;
    const text = textIn(outcome.block.content);
    if ((fits || isFixed) && knownReplacement(text, previewChars, { id, state }) === undefined)
      continue;
    const shorter = await replaced(outcome, run);
    outcomes[index] = shorter;
    total -= size - textIn(shorter.block.content).length;
    await recorded(uses[index], shorter, run);
  }
  for (const { block } of outcomes) state?.seenIds.add(block.tool_use_id);
  return outcomes;
}

async function replaced(outcome: CallOutcome, { parts, turn }: Surroundings): Promise<CallOutcome> {
  const { block } = outcome;
  const { text } = await replacementFor(textIn(block.content), previewChars, {
    parts,
    scope: { clock: parts.clock, signal: neverAborts },
    id: block.tool_use_id,
    state: turn.context.contentReplacementState,
  });
  return { ...outcome, block: { ...block, content: withText(block.content, text) } };
}

/** A call that is answered from the ledger later gets what the model got now. */
async function recorded(
  toolUse: unknown,
  { outcome, block }: CallOutcome,
  run: Surroundings,
): Promise<void> {
  if (outcome !== 'ok' && outcome !== 'failed') return;
  const key = ledgerKey(toolUse as ToolUse, run); // it ran, so it was one
  const { content, is_error: isError = false } = block;
  const { clock, ledger } = run.parts;
  const kept = await attempt(() => ledger.complete(key, { content, isError }), 5_000, {
    clock,
    signal: neverAborts,
  });
  if (!kept.ok)
    run.parts.report({
      code: 'result-not-recorded',
      severity: 'error',
      message: `that a result was shortened could not be recorded: ${kept.message}`,
    });
}
