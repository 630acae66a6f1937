import type { PostAnswer } from '@toolgate/core';
import { textsOf } from './combine-start.ts';
import type { Handler } from './handler.ts';
import type { Said } from './handler-runner.ts';

/**
 * One answer of all handlers that run after a tool. A block undoes nothing: its reason goes to the model.
 * Of several replaced outputs the last in configuration order is used.
 */
export function combinePost(said: readonly Said[]): {
  readonly answer: PostAnswer | undefined;
  readonly overruled: readonly Handler[];
} {
  const heard = said.map(({ handler, output }) => ({
    handler,
    output: output.decision === 'deny' ? { ...output, context: feedback(output) } : output,
  }));
  const replacing = said.filter(({ output }) => output.updatedOutput);
  const used = replacing.at(-1)?.output.updatedOutput;
  const answer: PostAnswer = { ...textsOf(heard), ...(used && { updatedOutput: used.value }) };
  return {
    answer: Object.keys(answer).length > 0 ? answer : undefined,
    overruled: replacing.slice(0, -1).map(({ handler }) => handler),
  };
}

const feedback = ({ reason, context }: Said['output']): string =>
  [reason, context].filter((text) => text !== undefined && text !== '').join('\n');
