import { visibleText } from '@toolgate/core';

/** The first line of a foreign text, at most `max` characters. */
export function visibleLine(text: string, max = 200): string {
  const [line = ''] = text
    .trimStart()
    .slice(0, 4 * max)
    .split('\n', 1);
  const shown = visibleText(line.trimEnd());
  return shown.length > max ? `${shown.slice(0, max - 1)}…` : shown;
}

const maxTextChars = 10_000;

/** A text of a hook for the model or a person, at most 10,000 characters and a note on the rest. */
export const boundedText = (text: string): string =>
  text.length <= maxTextChars
    ? text
    : `${text.slice(0, maxTextChars)}\n[${text.length - maxTextChars} more characters of this hook's text were cut.]`;
