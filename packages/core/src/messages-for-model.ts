import type { ToolFailure } from './failure.ts';
import type { Decision } from './opinion.ts';

/** What the model reads when a person said no without giving a reason. */
export const CANCEL_MESSAGE =
  'The person did not want this call to run, so nothing was done. Stop here and wait for them to say how to go on.';

/** What the model reads when its call was stopped while it ran. */
export const INTERRUPT_MESSAGE = 'The call was interrupted by the person before it was done.';

/** One sentence for the model about a denial; rules, files and lines stay with people and the trail. */
export const messageForModel = (decision: Decision): string => decision.reason || CANCEL_MESSAGE;

/** Marks text as coming from the tool layer rather than from a tool. */
export const wrapError = (message: string): string => `<tool_use_error>${message}</tool_use_error>`;

/** What the model reads of a call that ran and failed. */
export const messageForFailure = (failure: ToolFailure): string => wrapError(failure.message);
