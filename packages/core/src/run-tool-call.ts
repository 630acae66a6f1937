import { left } from './call.ts';
import type { ToolUse } from './messages.ts';
import type { CallOutcome } from './outcome.ts';
import type { Run } from './run.ts';
import { lookup } from './stages/1-lookup.ts';
import { validate } from './stages/2-validate.ts';
import { start } from './stages/3-start.ts';
import { authorize } from './stages/4-authorize.ts';
import { execute } from './stages/5-execute.ts';
import { mapResult } from './stages/6-result.ts';
import { post } from './stages/7-post.ts';
import { emit } from './stages/8-emit.ts';

/**
 * The story of one tool call. Each stage returns the call with more facts, or the call's way out, which
 * goes straight to stage 8. Nothing a tool or a plugin throws gets here: see hooks/guard.ts.
 */
export async function runToolCall(toolUse: ToolUse, run: Run): Promise<CallOutcome> {
  const found = await lookup(toolUse, run);
  if (left(found)) return emit(found, run);

  const valid = await validate(found, run);
  if (left(valid)) return emit(valid, run);

  await run.admit(valid);

  const started = await start(valid, run);
  if (left(started)) return emit(started, run);

  const permitted = await authorize(started, run);
  if (left(permitted)) return emit(permitted, run);

  const executed = await execute(permitted, run);
  if (left(executed)) return emit(executed, run);

  const mapped = await mapResult(executed, run);
  const observed = await post(mapped, run);
  return emit(observed, run);
}
