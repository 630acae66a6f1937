import type { Diagnostic, PermissionMode, Provenance } from '@toolgate/core';
import type { FileEntries } from './file-entries.ts';
import { heldBack } from './hold-back.ts';
import type { Placed } from './reading.ts';

/** How much a mode lets through without asking; only a greater number is stricter. */
const strictness: Readonly<Record<PermissionMode, number>> = {
  bypassPermissions: 0,
  auto: 1,
  acceptEdits: 2,
  default: 3,
  // plan and dontAsk forbid different things, so neither is stricter than the other.
  plan: 4,
  dontAsk: 4,
};

/** The stricter of two modes; of two that forbid different things the first. */
export const stricterMode = (first: PermissionMode, second: PermissionMode): PermissionMode =>
  strictness[second] > strictness[first] ? second : first;

const ofTheFolder = ({ from }: FileEntries) =>
  from.source === 'projectSettings' || from.source === 'localSettings';

/**
 * The mode of all files together, given weakest first. `auto` and `bypassPermissions` do not count from
 * project and local files, trusted or not; an untrusted folder can only make the mode stricter.
 */
export function settleMode(
  files: readonly FileEntries[],
  trusted: boolean,
): {
  readonly mode: PermissionMode;
  readonly switchedOff: readonly PermissionMode[];
  readonly modeFrom?: Provenance;
  readonly diagnostics: readonly Diagnostic[];
} {
  const switchedOff = [...new Set(files.flatMap((entries) => entries.switchedOff))];
  const diagnostics: Diagnostic[] = [];
  let mode: PermissionMode = 'default';
  let modeFrom: Provenance | undefined;
  for (const entries of files) {
    const said = entries.mode;
    if (!said || (said.value === mode && modeFrom)) continue;
    const isNew = said.value !== mode;
    const problem =
      isNew && ofTheFolder(entries) ? refusal(entries, said, mode, trusted) : undefined;
    if (problem) diagnostics.push(problem);
    else {
      mode = said.value;
      const { source, file } = entries.from;
      modeFrom = { source, file, line: said.line, pointer: said.pointer };
    }
  }
  const off = files.find(({ switchedOff }) => switchedOff.includes(mode));
  if (!off) return { mode, switchedOff, ...(modeFrom && { modeFrom }), diagnostics };
  diagnostics.push({
    code: 'mode-switched-off',
    severity: 'warning',
    message: `Mode ${mode} is switched off by this file; mode default is used.`,
    file: off.from.file,
  });
  return { mode: 'default', switchedOff, diagnostics };
}

function refusal(
  { from: { file } }: FileEntries,
  said: Placed<PermissionMode>,
  mode: PermissionMode,
  trusted: boolean,
): Diagnostic | undefined {
  const { value, line, pointer } = said;
  if (value === 'auto' || value === 'bypassPermissions')
    return {
      code: 'setting-ignored',
      severity: 'warning',
      message: `"defaultMode": "${value}" counts from user settings and --settings files only; it is ignored here.`,
      file,
      line,
      pointer,
    };
  if (trusted || strictness[value] > strictness[mode]) return undefined;
  return heldBack(file, `"defaultMode": "${value}"`, said);
}
