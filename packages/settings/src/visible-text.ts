const maxChars = 500;

/** A message that holds words of a hostile file: control, bidi and zero-width characters as visible escapes (security rule 23). */
export function visibleText(text: string): string {
  const shown = text
    .slice(0, 4 * maxChars)
    .replaceAll(
      /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
      (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`,
    );
  return shown.length > maxChars ? `${shown.slice(0, maxChars)}…` : shown;
}
