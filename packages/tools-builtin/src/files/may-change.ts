import type { ToolUseContext, ValidationResult } from '@toolgate/core';
import { likelyPath, systemCode } from './judged-path.ts';
import { openEntry } from './open-approved.ts';
import { whyStale } from './read-state.ts';

/**
 * The `validateInput` of what changes files: an existing one must have been read in this session and be
 * unchanged. Codes: 2 not read, 3 changed, 4 not a file.
 */
export async function mayChange(
  written: string,
  context: ToolUseContext,
): Promise<ValidationResult> {
  const { path, realPath } = likelyPath(context, written);
  try {
    const file = await openEntry(realPath, path);
    if (!file) return { result: true };
    try {
      const stale = await whyStale({ state: context.readFileState, path, realPath, file });
      return stale ? { result: false, ...stale } : { result: true };
    } finally {
      await file.handle.close();
    }
  } catch (error) {
    // System errors appear again, with more to say, when the call runs.
    if (systemCode(error)) return { result: true };
    const text = error instanceof Error ? error.message : String(error);
    return { result: false, message: text, errorCode: 4 };
  }
}
