import { classifyBash } from '@toolgate/classifier';
import { badLine, isBadLine, parseObject } from './parse-line.ts';
import { processLines } from './process-lines.ts';
import type { InputLine } from './read-lines.ts';

/** `toolgate classify`: what a shell command would do, read from its text alone. */
export async function classify(file: string | undefined): Promise<number> {
  const { signal } = new AbortController();
  const work = async (line: InputLine) => classified(line);
  return (await processLines(file, { signal, work })) ? 0 : 2;
}

function classified(line: InputLine): object {
  // A shell group starts with a brace, too; only one that goes on with a key is meant as JSON.
  if (!/^\s*\{\s*["}]/.test(line.text)) return classifyBash(line.text);
  const value = parseObject(line);
  if (isBadLine(value)) return value;
  const { id, command } = value;
  if (typeof command !== 'string') return badLine(line, '"command" must be a text');
  return { ...(id !== undefined && { id }), ...classifyBash(command) };
}
