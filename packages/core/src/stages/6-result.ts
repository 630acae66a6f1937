import type { ExecutedCall, MappedCall } from '../call.ts';
import { boundResult } from '../bound-result.ts';
import { attempt } from '../hooks/guard.ts';
import type { ContentBlock } from '../messages.ts';
import { messageForFailure } from '../messages-for-model.ts';
import type { Run } from '../run.ts';
import type { MappedResult } from '../tool.ts';
import { ledgerKey } from './5-execute.ts';
import { traced } from './stage.ts';

/** Stage 6. The output becomes what the model reads: mapped, rewritten by the taps, then bounded and stored. */
export const mapResult = traced<ExecutedCall, MappedCall>('result', async (call, run) => {
  const mapped = await mapAgain(call, run);
  await attempt(() => run.parts.ledger.complete(ledgerKey(call, run), mapped), 5_000, run);
  return mapped;
});

/** The same without the ledger, for an output that a later hook replaced. */
export async function mapAgain(call: ExecutedCall, run: Run): Promise<MappedCall> {
  const mapped = mapOutput(call);
  if ('failure' in mapped)
    return withheld(call, `${call.tool.name} ran, but its result could not be turned into text.`);
  const rewritten = await run.parts.hooks.result.rewrite({ ...mapped, call }, run);
  if (!rewritten.ok) {
    run.parts.report({
      code: 'result-withheld',
      severity: 'error',
      message: `${rewritten.tap} of ${rewritten.plugin} failed, so the result of ${call.tool.name} was withheld: ${rewritten.message}`,
    });
    return withheld(
      call,
      `${call.tool.name} ran, but its result was withheld because a check of it failed.`,
    );
  }
  const { content, is_error: isError = false } = rewritten.value;
  if (!isContent(content))
    return withheld(
      call,
      `${call.tool.name} ran, but its result was withheld because it is no text.`,
    );
  return {
    ...call,
    content: await boundResult(content, call.tool.maxResultSizeChars, run),
    isError: isError === true,
  };
}

function mapOutput(call: ExecutedCall): MappedResult | { readonly failure: true } {
  const { ending, tool } = call;
  if (!ending.ok) return { content: messageForFailure(ending.failure), is_error: true };
  try {
    const { content, is_error } = tool.mapToolResultToToolResultBlockParam(
      ending.result.data,
      call.toolUse.id,
    );
    if (!isContent(content)) return { failure: true };
    return { content, is_error: is_error === true };
  } catch {
    return { failure: true };
  }
}

const withheld = (call: ExecutedCall, message: string): MappedCall => ({
  ...call,
  ending: { ok: false, failure: { code: 'result_withheld', message } },
  content: messageForFailure({ code: 'result_withheld', message }),
  isError: true,
});

const isContent = (content: unknown): content is string | readonly ContentBlock[] =>
  typeof content === 'string' ||
  (Array.isArray(content) &&
    content.every(
      (block: unknown) =>
        typeof block === 'object' &&
        block !== null &&
        'type' in block &&
        typeof block.type === 'string',
    ));
