import type { Problem } from './model.ts';

/** Longest text that is read at all, in UTF-16 code units. */
export const maxTextLength = 10_000;

type Ranges = readonly (readonly [number, number])[];

// Controls but tab and newline; what shows as nothing; what reorders a line: a person and Bash would
// read two texts.
const refused: Ranges = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x034f, 0x034f],
  [0x061c, 0x061c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff9, 0xfffb],
  [0xd800, 0xdfff],
  [0xe0000, 0xe0fff],
];
// These look like the blank between two words, and join them. Inside quotes they are ordinary text.
const blanks: Ranges = [
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x2800, 0x2800],
  [0x3000, 0x3000],
  [0xfe00, 0xfe0f],
];

/** What the text holds that no rule may allow, looked for before it is parsed. */
export function findRefused(text: string): readonly Problem[] {
  const found = findIn(text, refused, 0);
  if (text.length <= maxTextLength) return found ? [found] : [];
  const message = `The command has ${text.length} characters; at most ${maxTextLength} are read.`;
  return [{ code: 'too-long', message, at: maxTextLength }, ...(found ? [found] : [])];
}

/** A blank of another script in unquoted text, which starts at offset `from`. */
export const findBlank = (text: string, from: number): Problem | undefined =>
  findIn(text, blanks, from);

function findIn(text: string, ranges: Ranges, from: number): Problem | undefined {
  if (/^[\t\n\x20-\x7e]*$/.test(text)) return undefined; // no range holds any of these
  let at = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (ranges.some(([first, last]) => code >= first && code <= last))
      return {
        code: 'refused-character',
        message: `The character U+${code.toString(16).toUpperCase().padStart(4, '0')} at offset ${from + at} is not accepted in a command.`,
        at: from + at,
      };
    at += character.length;
  }
  return undefined;
}
