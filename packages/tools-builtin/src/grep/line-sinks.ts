import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConfirmedFile, Confirmer } from '../search/confirm.ts';
import { Newest, type Dated } from '../search/newest.ts';
import type { GrepMode } from './grep-input.ts';
import type { GrepOutput } from './grep-output.ts';
import type { GrepTask } from './grep-task.ts';
import { cutLine, maxShownChars } from './match-text.ts';
import type { FoundLine } from './parse-line.ts';

/** Takes lines as they come and makes one output mode's result of those that can be confirmed. */
export interface LineSink {
  add(line: FoundLine): void | Promise<void>;
  isDone(): boolean;
  end(): Promise<Omit<GrepOutput, 'mode' | 'appliedOffset' | 'skipped' | 'engine'>>;
}

type Opener = Pick<Confirmer, 'open'>;
type Line = NonNullable<FoundLine>;

/** One for each output mode. */
export const lineSinks: Readonly<Record<GrepMode, (task: GrepTask, opener: Opener) => LineSink>> = {
  files_with_matches: filesSink,
  content: contentSink,
  count: countSink,
};

function filesSink({ most, offset, show, root, found }: GrepTask, opener: Opener): LineSink {
  const newest = new Newest<Dated & { readonly line: Line }>(most);
  let last = '';
  return {
    async add(line) {
      if (!line?.isMatch || line.path === last) return;
      last = line.path;
      const stats = await lstat(join(root.realPath, line.relative)).catch(() => undefined);
      if (!stats) return;
      newest.add({ path: line.path, modifiedMs: stats.mtimeMs, line: kept(line) });
      found();
    },
    isDone: () => false,
    async end() {
      const filenames: string[] = [];
      for (const { path, line } of newest.list().slice(offset))
        if ((await confirmed([line], opener)).length > 0) filenames.push(show(path));
      return { numFiles: filenames.length, filenames, truncated: newest.count > most };
    },
  };
}

/** A copy: the record's memory is that of a whole chunk. */
const kept = (line: Line): Line => ({ ...line, bytes: Buffer.from(line.bytes) });

function contentSink({ input, most, offset, show, found }: GrepTask, opener: Opener): LineSink {
  const lines: string[] = [];
  const files = new Set<string>();
  let numMatches = 0;
  let group: Line[] = [];
  let hasGap = false;
  const numbers = input['-n'] ?? true;
  const flush = async () => {
    for (const { path, number, isMatch, shown, isFirst } of await confirmed(group, opener)) {
      if (isFirst && hasGap && lines.length > 0) lines.push('--');
      hasGap = false;
      const name = show(path);
      const mark = isMatch ? ':' : '-';
      lines.push(name + mark + (numbers ? `${number}${mark}` : '') + shown);
      if (isMatch) numMatches += 1;
      if (!files.has(name)) found();
      files.add(name);
    }
    group = [];
  };
  return {
    async add(line) {
      if (group.length > 0 && (!line || line.path !== group[0]?.path || group.length >= 64))
        await flush();
      if (line) group.push(kept(line));
      else hasGap = true;
    },
    isDone: () => lines.length > most,
    async end() {
      await flush();
      const shown = lines.slice(offset, most);
      return {
        numFiles: files.size,
        filenames: [...files],
        content: shown.join('\n'),
        numLines: shown.length,
        numMatches,
        truncated: lines.length > most,
      };
    },
  };
}

function countSink({ most, offset, show, found }: GrepTask, opener: Opener): LineSink {
  const lines: string[] = [];
  const filenames: string[] = [];
  let numMatches = 0;
  let first: Line | undefined;
  let count = 0;
  const flush = async () => {
    if (first && (await confirmed([first], opener)).length > 0) {
      const name = show(first.path);
      lines.push(`${name}:${count}`);
      filenames.push(name);
      numMatches += count;
      found();
    }
    first = undefined;
    count = 0;
  };
  return {
    async add(line) {
      if (!line?.isMatch) return;
      if (line.path !== first?.path) {
        await flush();
        first = kept(line);
      }
      count += 1;
    },
    isDone: () => lines.length > most,
    async end() {
      await flush();
      const shown = lines.slice(offset, most);
      return {
        numFiles: shown.length,
        filenames: filenames.slice(offset, most),
        content: shown.join('\n'),
        numLines: shown.length,
        numMatches,
        truncated: lines.length > most,
      };
    },
  };
}

interface ShownLine extends Line {
  readonly shown: string;
  readonly isFirst: boolean;
}

/** Those lines of one file that are found in it, as they are shown. */
async function confirmed(lines: readonly Line[], opener: Opener): Promise<readonly ShownLine[]> {
  const [first] = lines;
  const file = first && (await opener.open(first.relative).catch(() => undefined));
  if (!file) return [];
  try {
    const shown: ShownLine[] = [];
    for (const line of lines) {
      const text = await textIn(file, line);
      if (text !== undefined) shown.push({ ...line, shown: text, isFirst: shown.length === 0 });
    }
    return shown;
  } finally {
    await file.close();
  }
}

/** What ripgrep puts behind a line that it cut. */
const cutMark = / \[\.\.\. (?:omitted end of long (?:matching )?line|\d+ more match(?:es)?)\]$/;

async function textIn(file: ConfirmedFile, { offset, bytes }: Line): Promise<string | undefined> {
  if (await file.has({ offset, bytes })) return cutLine(bytes.toString('utf8'));
  const mark = cutMark.exec(bytes.toString('latin1'))?.[0];
  const start = bytes.subarray(0, bytes.length - (mark?.length ?? 0));
  if (mark === undefined || !(await file.has({ offset, bytes: start }))) return undefined;
  return `${start.toString('utf8').slice(0, maxShownChars)}… [cut]`;
}
