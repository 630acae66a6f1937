import type { SettingsSourceName } from '@toolgate/core';

/** The events of core whose hooks this package runs. */
export const supportedEvents = ['PreToolUse', 'PostToolUse', 'PostToolUseFailure'] as const;
export type HookEvent = (typeof supportedEvents)[number];

/** One configured command. */
export interface Handler {
  readonly command: string;
  /** Given: `command` is a program and these are its arguments. Absent: `command` is a shell line. */
  readonly args?: readonly string[];
  readonly shell: 'bash' | 'powershell';
  /** A permission rule that must match for the handler to run. */
  readonly if?: string;
  readonly timeoutMs: number;
  /** What a failure of the handler means. */
  readonly onFailure: 'continue' | 'block';
  /** Started and not waited for; it decides nothing. */
  readonly isAsync: boolean;
  readonly matcher: string;
  readonly source: SettingsSourceName;
  readonly file?: string;
  readonly pointer: string;
}

/** Handlers with the same key are the same handler and run once. */
export const handlerKey = (handler: Handler): string =>
  JSON.stringify([handler.command, handler.args, handler.shell, handler.if, handler.isAsync]);

/** The place of a handler, for diagnostics. */
export const placeOf = ({ file, pointer }: Pick<Handler, 'file' | 'pointer'>) => ({
  ...(file !== undefined && { file }),
  pointer,
});
