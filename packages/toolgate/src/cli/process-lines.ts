import { say, writeLine } from './output.ts';
import { isBadLine } from './parse-line.ts';
import { readLines, type InputLine } from './read-lines.ts';

/**
 * Runs `work` on each line that is not blank, in order, and writes what it answers. A bad line gives an
 * error record in its place and one line on standard error; the rest is processed.
 *
 * @returns true when every line was good.
 */
export async function processLines(
  file: string | undefined,
  signal: AbortSignal,
  work: (line: InputLine) => Promise<object | undefined>,
  write: (answer: object) => Promise<void> = writeLine,
): Promise<boolean> {
  let allGood = true;
  for await (const line of readLines(file, signal)) {
    if (line.text.trim() === '') continue;
    if (signal.aborted) break;
    const answer = await work(line);
    if (!answer) continue;
    if (isBadLine(answer)) {
      allGood = false;
      say(`${file ?? 'standard input'}:${line.number}: ${answer.error.message}`);
      await writeLine(answer);
    } else await write(answer);
  }
  return allGood;
}
