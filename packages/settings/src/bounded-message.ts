import { visibleText } from '@toolgate/core';

const maxChars = 500;

/** A message that holds words of a hostile file, at most 500 characters. */
export function boundedMessage(text: string): string {
  const shown = visibleText(text.slice(0, 4 * maxChars));
  return shown.length > maxChars ? `${shown.slice(0, maxChars)}…` : shown;
}
