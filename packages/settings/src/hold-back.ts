import type { Diagnostic, RuleEntry } from '@toolgate/core';
import type { FileEntries } from './file-entries.ts';
import { isCommentKey } from './known-names.ts';
import { boundedMessage } from './bounded-message.ts';

/**
 * What a project's or local file may say in a folder that nobody trusts: its deny and ask rules, the modes
 * it switches off, and its mode (which is taken only where it is stricter). The rest is held back, each kind
 * with one diagnostic. Security rule 13.
 */
export function holdBack(entries: FileEntries): FileEntries {
  const { file } = entries.from;
  const diagnostics: Diagnostic[] = [...entries.diagnostics];
  const held = (what: string, place: { readonly line?: number; readonly pointer?: string }) => {
    diagnostics.push(heldBack(file, what, place));
  };
  const allows = entries.rules.filter(({ behavior }) => behavior === 'allow');
  const [firstAllow] = allows;
  if (firstAllow)
    held(
      naming(
        'allow rule',
        allows.map(({ text }) => text),
      ),
      placeOf(firstAllow),
    );
  const [firstFolder] = entries.directories;
  if (firstFolder)
    held(
      naming(
        'additional folder',
        entries.directories.map(({ value }) => value),
      ),
      firstFolder,
    );
  for (const value of entries.values)
    if (!isCommentKey(value.key)) held(`"${shorten(value.key)}"`, placeOf(value));
  return {
    ...entries,
    rules: entries.rules.filter(({ behavior }) => behavior !== 'allow'),
    directories: [],
    values: [],
    diagnostics,
  };
}

/** The diagnostic for something that waits for trust. */
export const heldBack = (
  file: string,
  what: string,
  place: { readonly line?: number; readonly pointer?: string },
): Diagnostic => ({
  code: 'held-back',
  severity: 'warning',
  message: boundedMessage(
    `${what} of this file held back: the folder is not trusted. --trust accepts it.`,
  ),
  file,
  ...(place.line !== undefined && { line: place.line }),
  ...(place.pointer !== undefined && { pointer: place.pointer }),
});

const placeOf = (entry: Pick<RuleEntry, 'line' | 'pointer'>) => ({
  ...(entry.line !== undefined && { line: entry.line }),
  ...(entry.pointer !== undefined && { pointer: entry.pointer }),
});

/** `3 allow rules (Bash(ls *), Read, …)`. */
function naming(what: string, texts: readonly string[]): string {
  const shown = texts.slice(0, 3).map(shorten).join(', ');
  return `${texts.length} ${what}${texts.length === 1 ? '' : 's'} (${shown}${texts.length > 3 ? ', …' : ''})`;
}

const shorten = (text: string) => (text.length > 60 ? `${text.slice(0, 59)}…` : text);
