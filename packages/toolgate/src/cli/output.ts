import { type Diagnostic, visibleText } from '@toolgate/core';

/** Writes one JSON line to standard output and waits while the reader is behind. */
export async function writeLine(value: unknown): Promise<void> {
  const line = `${JSON.stringify(value)}\n`;
  await writeText(line);
}

/** Writes text to standard output and waits while the reader is behind. */
export async function writeText(text: string): Promise<void> {
  if (process.stdout.write(text)) return;
  await new Promise<void>((resolve) =>
    process.stdout.once('drain', resolve).once('close', resolve),
  );
}

/** One line on standard error, without control characters. */
export function say(text: string): void {
  process.stderr.write(`toolgate: ${visibleText(text)}\n`);
}

/** Where a diagnostic points, as `file:line pointer`. */
const placeOf = ({ file, line, pointer }: Diagnostic): string => {
  const place = [file, line].filter((part) => part !== undefined).join(':');
  return [place, pointer].filter(Boolean).join(' ');
};

/** A diagnostic as one line for people. */
export function describe(diagnostic: Diagnostic): string {
  const place = placeOf(diagnostic);
  return `${diagnostic.severity}: ${diagnostic.message}${place ? ` (${place})` : ''}`;
}
