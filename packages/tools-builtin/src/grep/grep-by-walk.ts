import type { GrepOutput } from './grep-output.ts';
import { collectors } from './collectors.ts';
import { patternOf } from './grep-input.ts';
import type { GrepTask } from './grep-task.ts';
import { mayTakeLong, PatternTooSlow, TimeBox } from './pattern.ts';
import { searchFiles } from './search-files.ts';

/** Searches in JavaScript, file by file; slower than ripgrep, and needs nothing. */
export async function grepByWalk(task: GrepTask): Promise<Omit<GrepOutput, 'engine'>> {
  const { input, context, root, mode, offset } = task;
  const collect = collectors[mode](input, task);
  const pattern = patternOf(input);
  let timeBox: TimeBox | undefined;
  const skipped = { tooLarge: 0, tooSlow: 0, denied: 0 };
  for await (const file of searchFiles(root, input, context)) {
    if ('skipped' in file) {
      skipped[file.skipped] += 1;
      continue;
    }
    const work = () => collect.add({ ...file, pattern });
    try {
      if (mayTakeLong(pattern, file.text.length)) (timeBox ??= new TimeBox()).run(work);
      else work();
    } catch (error) {
      if (!(error instanceof PatternTooSlow)) throw error;
      skipped.tooSlow += 1;
    }
    if (collect.isDone()) break;
  }
  return { mode, ...collect.end(), ...(offset > 0 && { appliedOffset: offset }), skipped };
}
