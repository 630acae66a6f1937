/** Control, bidirectional, zero-width and blank-like characters, which could make a text look like another. */
const hidden =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u00a0\u115f\u1160\u2000-\u200a\u202f\u205f\u2800\u3000\u3164\uffa0]/gu;

/** A text with every character that a person could not see written as an escape. */
export const visible = (text: string, keep = ''): string =>
  text.replace(hidden, (character) =>
    keep.includes(character) ? character : `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`,
  );
