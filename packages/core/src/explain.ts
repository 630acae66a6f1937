import { left, type Left, type StartedCall, type ValidCall } from './call.ts';
import { collectOpinions, decide } from './decide.ts';
import type { ToolUse } from './messages.ts';
import type { Decision } from './opinion.ts';
import type { Run } from './run.ts';
import { lookup } from './stages/1-lookup.ts';
import { judge } from './stages/2-validate.ts';

/**
 * What would be decided about a call, and why. Runs nothing and asks no one: no hook, no check that looks at
 * the disk, no dialog; `ask` means that somebody would be asked.
 */
export async function explain(toolUse: ToolUse, run: Run): Promise<Decision> {
  const found = await lookup(toolUse, run);
  if (left(found)) return refusedAs(found);
  const valid = await judge(found, found.toolUse.input, run, 0);
  if (left(valid)) return refusedAs(valid);
  const { policy } = run.parts;
  const settings = policy.snapshot();
  const startOf = (judged: ValidCall): StartedCall => ({
    ...judged,
    settings,
    directories: policy.directories(settings),
    startOpinions: [],
    contexts: [],
  });
  const collected = await collectOpinions(startOf(valid), run, async (call, input) => {
    const judged = await judge(call, input, run, 1);
    return left(judged) ? judged : startOf(judged);
  });
  if (left(collected)) return refusedAs(collected);
  const { decision } = await decide(collected.call, collected.heard, run);
  return decision;
}

const refusedAs = (call: Left): Decision => ({
  behavior: 'deny',
  reason: 'refusal' in call ? call.refusal.message : 'The call was already answered.',
  trail: [],
});
