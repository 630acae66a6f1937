import { say, writeLine } from './output.ts';
import { isBadLine } from './parse-line.ts';
import { readLines, type InputLine } from './read-lines.ts';

export interface LineWork {
  readonly signal: AbortSignal;
  readonly work: (line: InputLine) => Promise<object | undefined>;
  /** Default: a JSON line on standard output. */
  readonly write?: (answer: object) => Promise<void>;
  /** Default: a line on standard error. */
  readonly tell?: (text: string) => void;
}

/**
 * Runs `work` on each line that is not blank, in order, and writes what it answers. A bad line gives an
 * error record in its place and one line on standard error; the rest is processed.
 *
 * @returns true when every line was good.
 */
export async function processLines(
  file: string | undefined,
  { signal, work, write = writeLine, tell = say }: LineWork,
): Promise<boolean> {
  let allGood = true;
  for await (const line of readLines(file, signal)) {
    if (line.text.trim() === '') continue;
    if (signal.aborted) break;
    const answer = await work(line);
    if (!answer) continue;
    if (isBadLine(answer)) {
      allGood = false;
      tell(`${file ?? 'standard input'}:${line.number}: ${answer.error.message}`);
      await writeLine(answer);
    } else await write(answer);
  }
  return allGood;
}
