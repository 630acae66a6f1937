import type { RuleEntry } from '@toolgate/core';
import { createScanner } from 'jsonc-parser';
import type { SettingsFile } from './reading.ts';
import { pointerTo } from './json-node.ts';
import { token, type Place } from './parse-jsonc.ts';

/**
 * The deny and ask rules of a file whose JSON is broken: every list of texts behind a key `"deny"` or
 * `"ask"`, wherever it stands, up to its `]` or the next key. Comments stay comments.
 */
export function recoverRules(
  from: SettingsFile,
  original: string,
  placeOf: (offset: number) => Place,
): readonly RuleEntry[] {
  const scanner = createScanner(original.replace(/^\uFEFF/, ' '), true);
  const rules: RuleEntry[] = [];
  let behavior: 'deny' | 'ask' | undefined;
  let index = 0;
  let pending: RuleEntry | undefined;
  const keep = () => {
    if (pending) rules.push(pending);
    pending = undefined;
  };
  // `"deny"`, `:` and `[` in a row open a list.
  let key = '';
  let colonAfterKey = false;
  for (let kind = scanner.scan(); Number(kind) !== token.end; kind = scanner.scan()) {
    const offset = scanner.getTokenOffset();
    const text = scanner.getTokenValue();
    switch (Number(kind)) {
      case token.openBracket:
        keep();
        if (colonAfterKey) {
          behavior = key === 'deny' || key === 'ask' ? key : undefined;
          index = 0;
        }
        break;
      case token.colon:
        // What looked like a rule was the next key; the `]` before it is missing.
        if (pending) behavior = undefined;
        pending = undefined;
        break;
      case token.closeBracket:
        keep();
        behavior = undefined;
        break;
      case token.string:
        keep();
        if (behavior && text.trim() !== '')
          pending = {
            behavior,
            text,
            ...from,
            ...entryAt(behavior, index++),
            line: placeOf(offset).line,
          };
        break;
      default:
        keep();
    }
    colonAfterKey = Number(kind) === token.colon;
    if (Number(kind) === token.string) key = text;
    else if (!colonAfterKey) key = '';
  }
  keep();
  return rules;
}

const entryAt = (behavior: string, index: number) => ({
  pointer: pointerTo(`/permissions/${behavior}`, index),
});
