import { refuse, type FoundCall, type Left, type PermittedCall, type ValidCall } from './call.ts';
import { useDigest } from './digest.ts';
import type { RefusalCode, StageName } from './failure.ts';
import { attempt } from './hooks/guard.ts';
import { isContent, type ToolUse } from './messages.ts';
import type { LedgerClaim, LedgerKey } from './ports.ts';
import { predicate } from './registry.ts';
import type { Run } from './run.ts';

/** The ledger's row for a call. */
export const ledgerKey = (toolUse: ToolUse, run: Pick<Run, 'parts' | 'turn'>): LedgerKey => ({
  sessionId: run.parts.session.id,
  agentId: run.turn.context.agentId ?? '',
  turn: run.turn.index,
  toolUseId: toolUse.id,
  // Worked out on first use: a ledger in memory seldom needs it.
  get digest() {
    return useDigest(toolUse.name, toolUse.input);
  },
});

const states = new Set<unknown>(['claimed', 'started', 'reused', 'done']);

/** Asks the ledger, within 5 s. What it cannot say, nobody runs a call on. */
async function ask(
  question: () => unknown,
  run: Run,
): Promise<LedgerClaim | { readonly state: 'failed' } | undefined> {
  const answer = await attempt<LedgerClaim | undefined>(question, 5_000, run);
  if (!answer.ok) return { state: 'failed' };
  const claim = answer.value;
  if (claim === undefined) return undefined;
  if (!states.has(Object(claim).state)) return { state: 'failed' };
  return claim.state === 'done' && !isContent(claim.content) ? { state: 'started' } : claim;
}

/** What the ledger knows of a call before anything is done about it; a call that cannot be told is refused. */
export async function recall(toolUse: ToolUse, run: Run): Promise<Pick<FoundCall, 'known'> | Left> {
  const { ledger } = run.parts;
  if (!ledger.find) return {};
  const known = await ask(() => ledger.find?.(ledgerKey(toolUse, run)), run);
  if (known === undefined) return {};
  if (known.state === 'done' || known.state === 'started') return { known };
  return refusalFor(known.state === 'reused' ? 'reused' : 'failed', toolUse, 'lookup');
}

/** Takes a call, to run it now; or says why not. */
export async function claim(call: PermittedCall, run: Run): Promise<Left | undefined> {
  const { toolUse, decision } = call;
  const taken = await ask(() => run.parts.ledger.claim(ledgerKey(toolUse, run)), run);
  const state = taken?.state ?? 'failed';
  if (state === 'claimed' || (state === 'started' && mayRunAgain(call, run))) return undefined;
  if (taken?.state === 'done') return { left: 'answered', stored: taken, decision };
  return { ...refusalFor(state, toolUse, 'execute'), decision };
}

/** True for a call that may run a second time when it is not known how the first one ended. */
const mayRunAgain = ({ tool, input, effects }: ValidCall, run: Run): boolean =>
  effects.readOnly ||
  (run.parts.registry.isTrusted(tool) && predicate(() => tool.isIdempotent(input), false));

/** A call that was started before and must not run again is not even asked about. */
export const unlessInterrupted = (call: ValidCall, run: Run): ValidCall | Left =>
  call.known?.state !== 'started' || mayRunAgain(call, run)
    ? call
    : refusalFor('started', call.toolUse, 'validate');

const refusals: Readonly<
  Record<string, { readonly code: RefusalCode; readonly message: (id: string) => string }>
> = {
  reused: {
    code: 'id_reused',
    message: (id) =>
      `The id ${id} was used for another call, so nothing ran. Send this call with an id of its own.`,
  },
  started: {
    code: 'outcome_unknown',
    message: () =>
      'This call was started before and how it ended is not known; it was not run again. Check what it did before sending it again.',
  },
};

function refusalFor(state: string, { id }: ToolUse, stage: StageName): Left {
  const { code, message } = refusals[state] ?? {
    code: 'plugin_failed' as const,
    message: () =>
      'Whether this call ran before could not be told, so nothing ran. Try again later.',
  };
  return refuse({ code, stage, message: message(id) });
}
