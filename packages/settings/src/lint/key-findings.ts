import { nearest, type LintFinding } from '@toolgate/core';
import { hookEvents, isCommentKey, permissionKeys } from '../known-names.ts';
import { knownSettings } from './known-settings.ts';

type Found = Omit<LintFinding, 'file' | 'line'> & { readonly pointer: string };

/** A file of hooks alone, as plugins have them, says what it is for. */
const neutral = ['description', 'version', 'name'];
/** Managed files may say these at the top as well. */
const both = ['disableAutoMode', 'disableBypassPermissionsMode'];
/** Few letters are always near to something. */
const shortest = 5;

/** Keys at the top of a file that belong elsewhere, or that nobody reads but that are near to one that is read. */
export function keyFindings(
  keys: readonly string[],
  pointerOf: (key: string) => string,
): readonly Found[] {
  return keys.flatMap((key) => {
    if (knownSettings.includes(key) || isCommentKey(key) || neutral.includes(key)) return [];
    const found = misplaced(key) ?? unknown(key);
    return found ? [{ ...found, pointer: pointerOf(key) }] : [];
  });
}

function misplaced(key: string): Omit<Found, 'pointer'> | undefined {
  const parent = hookEvents.includes(key)
    ? 'hooks'
    : (permissionKeys as readonly string[]).includes(key) && !both.includes(key)
      ? 'permissions'
      : undefined;
  return parent === undefined
    ? undefined
    : {
        code: 'setting-misplaced',
        severity: 'warning',
        message: `"${key}" is read inside "${parent}" alone, so here it does nothing.`,
        fix: { message: `Move it into "${parent}".` },
      };
}

/** Other programs keep keys of their own in these files, so a strange key alone is no fault. */
function unknown(key: string): Omit<Found, 'pointer'> {
  const near = key.length < shortest ? undefined : nearest(key, knownSettings, 1)[0];
  const isClose =
    near !== undefined && near.slice(0, 2).toLowerCase() === key.slice(0, 2).toLowerCase();
  return {
    code: 'setting-unknown',
    severity: isClose ? 'warning' : 'info',
    message: `No setting is called "${key}", so it does nothing here.`,
    fix: {
      message: isClose ? `Did you mean "${near}"?` : 'Remove it, if no other program reads it.',
    },
  };
}
