import {
  ChangedSinceApproval,
  diskFacts,
  resolvePath,
  TelemetrySafeError,
  type ToolUseContext,
} from '@toolgate/core';
import type { FolderIdentity } from '@toolgate/core';

/** A path as it was judged: tools open `realPath` and never resolve the input again. */
export interface JudgedPath {
  /** Absolute, as the model spelled it. For messages. */
  readonly path: string;
  readonly realPath: string;
  readonly folder?: FolderIdentity;
}

/** The judged form of a path in a call's input. Throws when the call was judged without it. */
export function judgedPath(
  context: ToolUseContext,
  tool: 'Read' | 'Edit',
  written: string,
): JudgedPath {
  const path = nameable(resolvePath(written, context.cwd, context.home));
  const unit = context.effects.units.find((unit) => unit.tool === tool && unit.path === path);
  if (!unit?.realPath) throw changedSinceApproval(path);
  return { path, realPath: unit.realPath, ...(unit.folder && { folder: unit.folder }) };
}

/** The same for `validateInput`, where nothing is approved yet. For looking, not for using. */
export function likelyPath(context: ToolUseContext, written: string): JudgedPath {
  const path = nameable(resolvePath(written, context.cwd, context.home));
  const unit = context.effects.units.find((unit) => unit.path === path);
  return { path, realPath: unit?.realPath ?? diskFacts(context.home).realPath(path) };
}

/** Refuses what no file can be called; the system's own words for it name paths of ours. */
function nameable(path: string): string {
  if (path.includes('\0')) throw fileError('The path holds a NUL character', 'a NUL in a path');
  if (Buffer.byteLength(path) > 4_095)
    throw fileError('The path is longer than 4,095 bytes', 'a path is too long');
  if (path.split('/').some((name) => Buffer.byteLength(name) > 255))
    throw fileError('A name in the path is longer than 255 bytes', 'a name is too long');
  return path;
}

/** What was approved is no longer what is there (security rule 11). */
export const changedSinceApproval = (path: string): ChangedSinceApproval =>
  new ChangedSinceApproval(
    `${path} changed since it was approved; try again.`,
    'a file changed since it was approved',
  );

/** An error for the model whose telemetry form names no path. */
export const fileError = (message: string, telemetryMessage: string): TelemetrySafeError =>
  new TelemetrySafeError(message, telemetryMessage);

/** The `code` of a system error, such as `ENOENT`; of an error of another realm, too. */
export const systemCode = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;

/** What to say of a file or folder that the system refuses to open; undefined for other errors. */
export const noAccess = (error: unknown, path: string): TelemetrySafeError | undefined =>
  ['EACCES', 'EPERM'].includes(systemCode(error) ?? '')
    ? fileError(`${path} may not be read by this user.`, 'the system refuses access')
    : undefined;

/** A `backfillObservableInput` that shows a path to observers in its absolute form. */
export const absoluteField =
  (field: string) =>
  <T extends Readonly<Record<string, unknown>>>(
    input: T,
    { cwd, home }: { readonly cwd: string; readonly home: string },
  ): T => {
    const written = input[field];
    return typeof written === 'string'
      ? { ...input, [field]: resolvePath(written, cwd, home) }
      : input;
  };

/** Refuses what looks like files and is the system itself: reading or writing there does things. */
export function refuseSystem({ path, realPath }: Pick<JudgedPath, 'path' | 'realPath'>): void {
  if (realPath === '/proc' || realPath.startsWith('/proc/'))
    throw fileError(`${path} belongs to the system, not to files.`, 'a file of /proc');
}
