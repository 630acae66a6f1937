import { join } from 'node:path';
import { openApproved } from '../files/open-approved.ts';
import { openFolder } from '../files/opened-folder.ts';
import { Confirmer, ConfirmedFile } from '../search/confirm.ts';
import { fileArgs, namesIgnored, relativeOf } from '../search/ripgrep-args.ts';
import { runRipgrep } from '../search/run-ripgrep.ts';
import { foldersToSkip } from '../search/walk.ts';
import { fileFilter, nameGlobs, type GrepInput } from './grep-input.ts';
import type { GrepOutput } from './grep-output.ts';
import type { GrepTask } from './grep-task.ts';
import { lineSinks } from './line-sinks.ts';
import { isGap, parseLine, type FoundLine } from './parse-line.ts';

export interface RipgrepTask extends GrepTask {
  /** Absolute path of ripgrep. */
  readonly program: string;
}

/**
 * Searches by ripgrep. What it reports is shown only after it was found again in the opened file, and not
 * at all for what a rule denies to read.
 */
export async function grepByRipgrep(task: RipgrepTask): Promise<Omit<GrepOutput, 'engine'>> {
  const { mode, offset, root, context } = task;
  if (!root.isFolder && context.deniesRead(root.path))
    return finished(task, 1, { numFiles: 0, filenames: [], truncated: false });
  const confirmer = new Confirmer(root);
  try {
    const sink = lineSinks[mode](task, root.isFolder ? confirmer : fileConfirmer(task));
    const denied = root.isFolder ? countDenied(task) : Promise.resolve(0);
    denied.catch(() => undefined); // It is awaited below, unless the search itself fails first.
    for await (const line of root.isFolder ? linesBelow(task) : linesOfFile(task)) {
      await sink.add(line);
      if (sink.isDone()) break;
    }
    const found = await sink.end();
    return {
      mode,
      ...found,
      ...(offset > 0 && { appliedOffset: offset }),
      skipped: { tooLarge: 0, tooSlow: 0, denied: await denied },
    };
  } finally {
    await confirmer.close();
  }
}

const finished = (
  { mode, offset }: GrepTask,
  denied: number,
  found: Pick<GrepOutput, 'numFiles' | 'filenames' | 'truncated'>,
): Omit<GrepOutput, 'engine'> => ({
  mode,
  ...found,
  ...(mode !== 'files_with_matches' && { content: '', numLines: 0, numMatches: 0 }),
  ...(offset > 0 && { appliedOffset: offset }),
  skipped: { tooLarge: 0, tooSlow: 0, denied },
});

/** The one file of a search, opened as it was approved. */
const fileConfirmer = ({ root }: GrepTask): Pick<Confirmer, 'open'> => ({
  open: async () => ConfirmedFile.of(await openApproved(root)),
});

async function* linesBelow(task: RipgrepTask): AsyncGenerator<FoundLine> {
  const { root, input, context, mode } = task;
  const wanted = await fileFilter(input);
  const folder = await openFolder(root.realPath, root.path);
  try {
    const skip = foldersToSkip(input.glob);
    const args = [
      ...searchArgs(input),
      ...(mode === 'files_with_matches' ? ['--max-count=1'] : ['--sort=path']),
      ...fileArgs({ skip, ignored: namesIgnored(input.glob, skip), names: nameGlobs(input) }),
      './',
    ];
    const { fd } = folder.handle;
    const run = { path: task.program, args, folder: { fd, realPath: root.realPath } };
    let current = { name: '', isShown: false };
    for await (const record of runRipgrep({ ...run, separator: 10, signal: context.signal })) {
      const line = parseLine(record);
      if (!line) {
        if (isGap(record)) yield undefined;
        continue;
      }
      const relative = relativeOf(line.path);
      const path = join(root.path, relative);
      if (relative !== current.name)
        current = { name: relative, isShown: wanted(relative) && !context.deniesRead(path) };
      if (current.isShown) yield { ...line, path, relative };
    }
  } finally {
    await folder.handle.close();
  }
}

async function* linesOfFile(task: RipgrepTask): AsyncGenerator<FoundLine> {
  const { root, input, context, mode } = task;
  const { handle } = await openApproved(root);
  try {
    const once = mode === 'files_with_matches' ? ['--max-count=1'] : [];
    const run = { path: task.program, args: [...searchArgs(input), ...once, '-'] };
    for await (const record of runRipgrep({
      ...run,
      stdin: handle.fd,
      separator: 10,
      signal: context.signal,
    })) {
      const line = parseLine(record);
      if (line) yield { ...line, path: root.path, relative: '' };
      else if (isGap(record)) yield undefined;
    }
  } finally {
    await handle.close();
  }
}

/** Lines with their file, number and place; long ones cut. */
function searchArgs(input: GrepInput): readonly string[] {
  const around = input['-C'] ?? input.context ?? 0;
  const isContent = input.output_mode === 'content';
  return [
    '--null',
    '--no-heading',
    '--with-filename',
    '--line-number',
    '--byte-offset',
    '--crlf',
    `--max-columns=${isContent ? 2_000 : 64}`,
    '--max-columns-preview',
    '--engine=auto',
    ...(input['-i'] ? ['--ignore-case'] : []),
    ...(input.multiline ? ['--multiline', '--multiline-dotall'] : []),
    ...(isContent
      ? [
          `--before-context=${input['-B'] ?? around}`,
          `--after-context=${input['-A'] ?? around}`,
          ...(input['-o'] ? ['--only-matching'] : []),
        ]
      : []),
    `--regexp=${input.pattern}`,
  ];
}

/** How many files that were to be searched a rule denies; told whether or not they match. */
async function countDenied(task: RipgrepTask): Promise<number> {
  const { root, input, context, program } = task;
  const wanted = await fileFilter(input);
  const folder = await openFolder(root.realPath, root.path);
  let denied = 0;
  try {
    const skip = foldersToSkip(input.glob);
    const files = fileArgs({
      skip,
      ignored: namesIgnored(input.glob, skip),
      names: nameGlobs(input),
    });
    const { fd } = folder.handle;
    for await (const record of runRipgrep({
      path: program,
      args: ['--files', '--null', ...files, './'],
      folder: { fd, realPath: root.realPath },
      separator: 0,
      signal: context.signal,
    })) {
      const relative = relativeOf(record);
      if (wanted(relative) && context.deniesRead(join(root.path, relative))) denied += 1;
    }
  } finally {
    await folder.handle.close();
  }
  return denied;
}
