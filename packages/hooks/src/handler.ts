import type { SettingsSourceName } from '@toolgate/core';
import { visibleLine } from './bounded-text.ts';

/** A hook of the embedder's process, whatever its event: `run-function.ts` alone calls it. */
export type AnyCallback = (
  input: never,
  toolUseId: string | undefined,
  options: { readonly signal: AbortSignal },
) => unknown;

/** What a handler does. */
export type HandlerAction =
  | {
      readonly type: 'command';
      readonly command: string;
      /** Given: `command` is a program and these are its arguments. Absent: `command` is a shell line. */
      readonly args?: readonly string[];
      readonly shell: 'bash' | 'powershell';
    }
  | {
      readonly type: 'http';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** The environment variables that `headers` may use. */
      readonly allowedEnvVars: readonly string[];
    }
  | {
      readonly type: 'mcp_tool';
      readonly server: string;
      readonly tool: string;
      readonly input: Readonly<Record<string, unknown>>;
    }
  | {
      readonly type: 'prompt';
      readonly prompt: string;
      readonly model?: string;
      /** A no goes to the model as feedback and does not end the turn. */
      readonly continueOnBlock: boolean;
    }
  | { readonly type: 'agent'; readonly prompt: string; readonly model?: string }
  | { readonly type: 'function'; readonly name: string; readonly call: AnyCallback };

/** What all handlers share. */
export interface HandlerFacts {
  /** A permission rule that must match for the handler to run. */
  readonly if?: string;
  readonly timeoutMs: number;
  /** What a failure of the handler means. */
  readonly onFailure: 'continue' | 'block';
  /** A decision in the wrong place or of the wrong word blocks. */
  readonly isStrict: boolean;
  /** Started and not waited for; it decides nothing. */
  readonly isAsync: boolean;
  /** In the background, and exit code 2 wakes the model. */
  readonly rewakes: boolean;
  /** Runs once, then never again. */
  readonly isOnce: boolean;
  /** What a person may be shown while it runs. */
  readonly statusMessage?: string;
  readonly matcher: string;
  readonly source: SettingsSourceName | 'inProcess';
  readonly file?: string;
  readonly pointer: string;
}

/** One configured handler. */
export type Handler = HandlerFacts & HandlerAction;
export type HandlerOf<Type extends Handler['type']> = Extract<Handler, { readonly type: Type }>;

/** Handlers with the same key are the same handler and run once. */
export function handlerKey(handler: Handler): string {
  if (handler.type === 'function') return JSON.stringify(['function', handler.pointer]);
  const { if: rule, isAsync, rewakes } = handler;
  return JSON.stringify([...identity(handler), rule, isAsync, rewakes]);
}

function identity(handler: Exclude<Handler, HandlerOf<'function'>>): readonly unknown[] {
  switch (handler.type) {
    case 'command':
      return ['command', handler.command, handler.args, handler.shell];
    case 'http':
      return ['http', handler.url, handler.headers, handler.allowedEnvVars];
    case 'mcp_tool':
      return ['mcp_tool', handler.server, handler.tool, handler.input];
    case 'prompt':
      return ['prompt', handler.prompt, handler.model, handler.continueOnBlock];
    case 'agent':
      return ['agent', handler.prompt, handler.model];
  }
}

/** The place of a handler, for diagnostics. */
export const placeOf = ({ file, pointer }: Pick<Handler, 'file' | 'pointer'>) => ({
  ...(file !== undefined && { file }),
  pointer,
});

/** What a handler is, in one short line of visible characters. */
export function labelOf(handler: HandlerAction): string {
  switch (handler.type) {
    case 'command':
      return visibleLine([handler.command, ...(handler.args ?? [])].join(' '), 80);
    case 'http':
      return visibleLine(handler.url, 80);
    case 'mcp_tool':
      return visibleLine(`${handler.server}: ${handler.tool}`, 80);
    case 'function':
      return visibleLine(handler.name, 80);
    case 'prompt':
    case 'agent':
      return visibleLine(handler.prompt, 80);
  }
}

/** Who a handler is for `hookAllow`: the settings file it stands in, or its own name. */
export const originOf = (handler: Handler): string | undefined =>
  handler.type === 'function' ? handler.name : handler.file;
