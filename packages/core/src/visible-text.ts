/** Control, bidirectional, zero-width and blank-like characters, which could make a text look like another. */
const hidden =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u00a0\u115f\u1160\u2000-\u200a\u202f\u205f\u2800\u3000\u3164\uffa0]/gu;

/**
 * Foreign text as a person may be shown it: each character that could not be seen, or could move or hide
 * others, is written as `\\u{…}` (security rule 23). Those in `keep` stay, such as a line feed.
 */
export const visibleText = (text: string, keep = ''): string =>
  text.replace(hidden, (character) =>
    keep.includes(character) ? character : `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`,
  );
