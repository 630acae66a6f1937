import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { macOf, noHead, readLine, type AuditEntry, type ChainHead } from './chain.ts';

/** Something in a log that was not written so. */
export interface AuditProblem {
  readonly file: string;
  /** From 1. */
  readonly line?: number;
  readonly code: 'changed' | 'missing' | 'broken-line' | 'missing-end' | 'no-head' | 'empty';
  readonly message: string;
}

/** What a look at a log came to. */
export interface AuditReport {
  readonly ok: boolean;
  readonly files: readonly string[];
  readonly lines: number;
  /** Lines that a killed writer left unfinished, and that were found and noted when the log was opened again. */
  readonly repaired: number;
  /** Times that a writer ended without a word: it was killed, or still runs. */
  readonly unclosed: number;
  readonly head: ChainHead;
  readonly problems: readonly AuditProblem[];
  /** What this shows, and what no look at the log can show. */
  readonly proves: readonly string[];
  readonly cannotProve: readonly string[];
}

/**
 * Checks a log from its oldest file on: that each line follows the one before it under the key, and that the
 * end is the one whose head was kept elsewhere.
 *
 * @param head  The kept head; without it a cut end cannot be told from the end.
 */
export async function verifyAudit(
  file: string,
  { key, head }: { readonly key: Buffer; readonly head: ChainHead | undefined },
): Promise<AuditReport> {
  const problems: AuditProblem[] = [];
  const files = await filesOf(file);
  let at: ChainHead | undefined = noHead;
  let lines = 0;
  let repaired = 0;
  let unclosed = 0;
  let isOpen = false;
  let meetsHead = head === undefined || head.seq === 0;
  let broken: { readonly line: number; readonly sha256: string } | undefined;
  for (const [index, name] of files.entries()) {
    let number = 0;
    // The oldest file that is left may begin in the midst of the log.
    if (index === 0) at = undefined;
    for await (const text of linesOf(name)) {
      number += 1;
      lines += 1;
      const read = readLine(text);
      if (!read) {
        if (broken) problems.push(brokenLine(name, broken.line));
        broken = { line: number, sha256: createHash('sha256').update(text).digest('hex') };
        continue;
      }
      const { entry, body, mac } = read;
      if (broken) {
        if (entry.event === 'repaired' && entry['sha256'] === broken.sha256) repaired += 1;
        else problems.push(brokenLine(name, broken.line));
        broken = undefined;
      }
      const before: ChainHead | undefined = at ?? (entry.seq === 1 ? noHead : undefined);
      if (!before)
        problems.push({
          file: name,
          line: number,
          code: 'missing',
          message: `the log begins with line ${entry.seq}: what came before is not here`,
        });
      else if (entry.seq !== before.seq + 1)
        problems.push({
          file: name,
          line: number,
          code: 'missing',
          message: `line ${entry.seq} follows line ${before.seq}`,
        });
      else if (macOf(key, before, body) !== mac)
        problems.push({
          file: name,
          line: number,
          code: 'changed',
          message: `line ${entry.seq}, or the one before it, is not as it was written under this key`,
        });
      at = { seq: entry.seq, mac };
      if (head && entry.seq === head.seq) meetsHead = mac === head.mac;
      ({ isOpen, unclosed } = follow(entry, { isOpen, unclosed }));
    }
  }
  if (broken) problems.push(brokenLine(file, broken.line));
  const end = at ?? noHead;
  problems.push(...endProblems(file, { head, end, meetsHead, lines }));
  return {
    ok: problems.length === 0,
    files,
    lines,
    repaired,
    unclosed: unclosed + (isOpen ? 1 : 0),
    head: end,
    problems,
    proves: [
      'whoever wrote these lines had the key, and none was changed, moved or taken out between the first and the last',
      ...(head ? ['the log goes at least as far as the head that was kept beside it'] : []),
    ],
    cannotProve: [
      'that nobody who has the key wrote the log anew, with the head',
      'that lines were not cut behind the head that was kept, by whoever could change that, too',
      ...(head ? [] : ['that the end was not cut off: no head was given']),
      'that what the lines say is what happened: only that this is what was written',
    ],
  };
}

const follow = (
  { event }: AuditEntry,
  { isOpen, unclosed }: { readonly isOpen: boolean; readonly unclosed: number },
): { readonly isOpen: boolean; readonly unclosed: number } => {
  if (event === 'closed' || event === 'rotated') return { isOpen: false, unclosed };
  if (event === 'opened') return { isOpen: true, unclosed: unclosed + (isOpen ? 1 : 0) };
  return { isOpen, unclosed };
};

const brokenLine = (file: string, line: number): AuditProblem => ({
  file,
  line,
  code: 'broken-line',
  message: 'this is no line of a log, and no repair of it is noted',
});

function endProblems(
  file: string,
  found: {
    readonly head: ChainHead | undefined;
    readonly end: ChainHead;
    readonly meetsHead: boolean;
    readonly lines: number;
  },
): readonly AuditProblem[] {
  const { head, end, meetsHead, lines } = found;
  if (!head)
    return [
      { file, code: 'no-head', message: 'no head was kept or given, so a cut end would not show' },
    ];
  if (lines === 0)
    return [
      { file, code: 'empty', message: `the log is empty; the kept head is line ${head.seq}` },
    ];
  if (end.seq < head.seq)
    return [
      {
        file,
        code: 'missing-end',
        message: `the log ends with line ${end.seq}; the kept head is line ${head.seq}`,
      },
    ];
  if (!meetsHead)
    return [
      { file, code: 'changed', message: `line ${head.seq} is not the one whose head was kept` },
    ];
  return [];
}

/** The files of a log, oldest first, by the name that each one's first line gives of the one before. */
async function filesOf(file: string): Promise<readonly string[]> {
  const files = [file];
  for (let name: string | undefined = file; name !== undefined;) {
    const previous = await previousOf(name);
    name =
      previous !== undefined && existsSync(previous) && !files.includes(previous)
        ? previous
        : undefined;
    if (name !== undefined) files.unshift(name);
  }
  return files;
}

async function previousOf(file: string): Promise<string | undefined> {
  if (!existsSync(file)) return undefined;
  for await (const line of linesOf(file)) {
    const previous = readLine(line)?.entry['previous'];
    return typeof previous === 'string' ? previous : undefined;
  }
  return undefined;
}

async function* linesOf(file: string): AsyncGenerator<string> {
  if (!existsSync(file)) return;
  const input = createReadStream(file, 'utf8');
  try {
    for await (const line of createInterface({ input, crlfDelay: Infinity })) yield line;
  } finally {
    input.destroy();
  }
}
