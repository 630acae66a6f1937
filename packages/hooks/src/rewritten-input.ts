import type { AnyObject } from '@toolgate/core';
import { isDeepStrictEqual } from 'node:util';

/** Plain JSON of a value, so that prototypes and frozen copies compare alike. */
const plain = (value: unknown): unknown =>
  value === undefined ? undefined : JSON.parse(JSON.stringify(value));
const same = (a: unknown, b: unknown) => isDeepStrictEqual(plain(a), plain(b));

/**
 * The input that a hook really asks for, or undefined when it only gave back what it was shown. Hooks see
 * `observedInput`: a field they left as it was shown becomes the call's own again, and one that only
 * observers see goes (security rule 10).
 */
export function rewrittenInput(
  call: { readonly input: AnyObject; readonly observedInput: AnyObject },
  updated: AnyObject,
): AnyObject | undefined {
  const entries = Object.entries(updated).flatMap(([key, value]) => {
    const isUnchanged =
      Object.hasOwn(call.observedInput, key) && same(value, call.observedInput[key]);
    if (!isUnchanged) return [[key, value] as const];
    return Object.hasOwn(call.input, key) ? [[key, call.input[key]] as const] : [];
  });
  const input: AnyObject = Object.fromEntries(entries);
  return same(input, call.input) ? undefined : input;
}
