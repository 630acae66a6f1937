import { messageOf } from '@toolgate/core';
import { failedEnd, textEnd, type HandlerEnd } from './handler-end.ts';
import type { HandlerOf } from './handler.ts';
import { within } from './within.ts';

/** Calls a hook of the embedder's own process. What it answers is read like a script's JSON output. */
export const runFunction = (
  handler: HandlerOf<'function'> & { readonly timeoutMs: number },
  payload: object,
  toolUseId: string | undefined,
  signal: AbortSignal,
): Promise<HandlerEnd> =>
  within(
    async (own) => {
      const answer: unknown = await handler.call(payload as never, toolUseId, { signal: own }); // the payload of the event it was defined for
      if (answer === undefined || answer === null) return textEnd('');
      if (typeof answer !== 'object' || Array.isArray(answer))
        return failedEnd('answered with something else than an object', 'hook-output-invalid');
      return textEnd(JSON.stringify(answer));
    },
    { timeoutMs: handler.timeoutMs, signal },
    (error) => failedEnd(`threw: ${messageOf(error)}`),
  );
