import type { PermissionAnswer, PromptInput } from '@toolgate/core';
import type { Handler } from './handler.ts';
import type { Said } from './handler-runner.ts';
import { rewrittenInput } from './rewritten-input.ts';

/** The answer of one PermissionRequest handler that said no. */
export const denialOf = ({ output }: Said): PermissionAnswer | undefined =>
  output.decision === 'deny'
    ? {
        behavior: 'deny',
        message: output.reason ?? 'A hook refused this call.',
        ...(output.interrupt && { interrupt: true }),
      }
    : undefined;

/**
 * The allow of all PermissionRequest handlers together, none of which said no. Of several edits the last in
 * configuration order is used.
 */
export function combineAllows(
  said: readonly Said[],
  call: PromptInput['call'],
): { readonly answer: PermissionAnswer | undefined; readonly overruled: readonly Handler[] } {
  const allows = said.filter(({ output }) => output.decision === 'allow');
  if (allows.length === 0) return { answer: undefined, overruled: [] };
  const edits = allows.flatMap(({ handler, output }) => {
    const input = output.updatedInput && rewrittenInput(call, output.updatedInput);
    return input ? [{ handler, input }] : [];
  });
  const used = edits.at(-1);
  const updates = allows.flatMap(({ output }) => output.updates ?? []);
  return {
    answer: {
      behavior: 'allow',
      ...(used && { updatedInput: used.input }),
      ...(updates.length > 0 && { updates }),
    },
    overruled: edits.slice(0, -1).map(({ handler }) => handler),
  };
}
