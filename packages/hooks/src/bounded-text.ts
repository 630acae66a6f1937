import { visibleText, type ResultStore } from '@toolgate/core';

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

/** A text of a hook for the model or a person: at most 10,000 characters, and where the whole of it is kept. */
export async function boundedText(text: string, store: ResultStore | undefined): Promise<string> {
  if (text.length <= maxTextChars) return text;
  const rest = text.length - maxTextChars;
  const kept = await store?.store(text, 'txt').catch(() => undefined);
  const where = kept === undefined ? 'were cut' : `are in ${kept}, with what stands above`;
  return `${text.slice(0, maxTextChars)}\n[${rest} more characters of this hook's text ${where}.]`;
}
