import type { StructuredPatchHunk } from 'diff';
import type { View } from '@toolgate/core';

export type Hunk = Pick<
  StructuredPatchHunk,
  'oldStart' | 'oldLines' | 'newStart' | 'newLines' | 'lines'
>;

const context = 3;

/**
 * The difference of two texts as hunks. Equal lines at both ends are cut off first, so that a small
 * change of a large file costs little; what is then still too different becomes one hunk.
 */
export async function structuredPatchOf(before: string, after: string): Promise<readonly Hunk[]> {
  if (before === after) return [];
  const { head, skippedLines, tail } = commonEnds(before, after);
  const oldPart = before.slice(head, before.length - tail);
  const newPart = after.slice(head, after.length - tail);
  const { structuredPatch } = await import('diff');
  const patch = structuredPatch('a', 'b', oldPart, newPart, '', '', { context, timeout: 500 });
  const hunks = patch?.hunks ?? [oneHunk(oldPart, newPart)];
  return hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => ({
    oldStart: oldStart + skippedLines,
    oldLines,
    newStart: newStart + skippedLines,
    newLines,
    lines,
  }));
}

/** Lengths of the common start and end, at line borders, less the lines shown around a change. */
function commonEnds(before: string, after: string) {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before.charCodeAt(head) === after.charCodeAt(head)) head += 1;
  for (let lines = 0; head > 0 && lines <= context; lines += 1)
    head = before.lastIndexOf('\n', head - 1);
  head = Math.max(head, -1) + 1;
  if (head === 1 && before[0] !== '\n') head = 0;
  let tail = 0;
  const room = shorter - head;
  while (
    tail < room &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  )
    tail += 1;
  let end = before.length - tail;
  for (let lines = 0; end !== -1 && lines <= context; lines += 1) {
    end = before.indexOf('\n', end);
    if (end !== -1) end += 1;
  }
  tail = end === -1 ? 0 : before.length - end;
  let skippedLines = 0;
  for (let at = before.indexOf('\n'); at !== -1 && at < head; at = before.indexOf('\n', at + 1))
    skippedLines += 1;
  return { head, skippedLines, tail };
}

function oneHunk(before: string, after: string): Hunk {
  const oldLines = linesOf(before);
  const newLines = linesOf(after);
  return {
    oldStart: 1,
    oldLines: oldLines.length,
    newStart: 1,
    newLines: newLines.length,
    lines: [...oldLines.map((line) => `-${line}`), ...newLines.map((line) => `+${line}`)],
  };
}

const linesOf = (text: string): readonly string[] =>
  text === '' ? [] : text.replace(/\n$/, '').split('\n');

/** A change of a whole text as a view, at once: all that differs is one hunk between the lines around it. */
export function changeView(before: string, after: string): View {
  const { head, skippedLines, tail } = commonEnds(before, after);
  const old = linesOf(before.slice(head, before.length - tail));
  const now = linesOf(after.slice(head, after.length - tail));
  const shorter = Math.min(old.length, now.length);
  let same = 0;
  while (same < shorter && old[same] === now[same]) same += 1;
  let sameAtEnd = 0;
  while (sameAtEnd < shorter - same && old.at(-1 - sameAtEnd) === now.at(-1 - sameAtEnd))
    sameAtEnd += 1;
  const lines = [
    ...old.slice(0, same).map((line) => ` ${line}`),
    ...old.slice(same, old.length - sameAtEnd).map((line) => `-${line}`),
    ...now.slice(same, now.length - sameAtEnd).map((line) => `+${line}`),
    ...old.slice(old.length - sameAtEnd).map((line) => ` ${line}`),
  ];
  const start = skippedLines + 1;
  return patchView([
    { oldStart: start, oldLines: old.length, newStart: start, newLines: now.length, lines },
  ]);
}

/** Hunks as a view. */
export const patchView = (hunks: readonly Hunk[]): View => ({
  type: 'diff',
  patch: hunks
    .flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
      `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
      ...lines,
    ])
    .join('\n'),
});

/** One text replaced by another as a view, line numbers unknown. */
export const replacementView = (before: string, after: string): View => ({
  type: 'diff',
  patch: [
    ...linesOf(before).map((line) => `-${line}`),
    ...linesOf(after).map((line) => `+${line}`),
  ].join('\n'),
});
