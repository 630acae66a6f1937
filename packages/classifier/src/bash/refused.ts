import type { Problem } from './model.ts';

/** Longest text that is read at all, in UTF-16 code units. */
export const maxTextLength = 10_000;

// What looks like a blank, like nothing, or reorders the line: a person and Bash would read two texts.
const refused =
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|\udb40[\udc00-\uddef]/;

/** What the text holds that no rule may allow, looked for before it is parsed. */
export function findRefused(text: string): readonly Problem[] {
  const problems: Problem[] = [];
  if (text.length > maxTextLength)
    problems.push({
      code: 'too-long',
      message: `The command has ${text.length} characters; at most ${maxTextLength} are read.`,
      at: maxTextLength,
    });
  const found = refused.exec(text);
  if (found) {
    const code = found[0].codePointAt(0) ?? 0;
    problems.push({
      code: 'refused-character',
      message: `The character U+${code.toString(16).toUpperCase().padStart(4, '0')} at offset ${found.index} is not accepted in a command.`,
      at: found.index,
    });
  }
  return problems;
}
