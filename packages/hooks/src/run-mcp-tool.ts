import { messageOf, type AnyObject, type McpTools } from '@toolgate/core';
import { visibleLine } from './bounded-text.ts';
import { failedEnd, textEnd, type HandlerEnd } from './handler-end.ts';
import type { Handler, HandlerOf } from './handler.ts';
import { readDocument } from './hook-output.ts';
import type { HookEvent } from './hook-events.ts';
import { within } from './within.ts';

/** The longest text result that is read. */
const maxChars = 1024 * 1024;

/** Calls a tool of a connected MCP server and reads its text like a script's output (protocol 1.5). */
export async function runMcpTool(
  handler: Handler & HandlerOf<'mcp_tool'>,
  event: HookEvent,
  payload: object,
  mcp: McpTools | undefined,
  signal: AbortSignal,
): Promise<HandlerEnd> {
  if (!mcp)
    return failedEnd('could not be called: no MCP servers are connected', 'hook-not-started');
  const input = filled(handler.input, payload) as AnyObject; // an object stays one
  const end = await within(
    async (own) => endOf(await mcp.call(handler.server, handler.tool, input, own)),
    { timeoutMs: handler.timeoutMs, signal },
    (error) =>
      failedEnd(`could not be called: ${visibleLine(messageOf(error))}`, 'hook-not-started'),
  );
  if (end.state !== 'ended' || handler.onFailure !== 'block') return end;
  // A guard that says nothing readable does not guard.
  return isAnswer(event, end.stdout)
    ? end
    : failedEnd('answered with something that is no hook output', 'hook-output-invalid');
}

function endOf(result: unknown): HandlerEnd {
  const { content, isError } = Object(result) as Partial<Record<string, unknown>>; // only read
  const texts = Array.isArray(content)
    ? content.flatMap((part: unknown) => {
        const { type, text } = Object(part) as Partial<Record<string, unknown>>; // only read
        return type === 'text' && typeof text === 'string' ? [text] : [];
      })
    : [];
  const text = texts.join('\n');
  if (isError === true) return failedEnd(`failed: ${visibleLine(text)}`);
  if (text.length > maxChars)
    return failedEnd('answered with more than 1 MiB', 'hook-output-invalid');
  return textEnd(text);
}

const hookFields = [
  'continue',
  'stopReason',
  'suppressOutput',
  'systemMessage',
  'decision',
  'reason',
  'hookSpecificOutput',
];
function isAnswer(event: HookEvent, text: string): boolean {
  const document = readDocument(event, text);
  if (document.kind === 'empty') return true;
  if (!('object' in document) || !document.object) return false;
  const { object } = document;
  return hookFields.some((field) => Object.hasOwn(object, field));
}

/** Fills `${path.into.hook.input}` in all texts of a handler's input; what is not there is empty. */
function filled(value: unknown, payload: object): unknown {
  if (typeof value === 'string')
    return value.replaceAll(/\$\{([\w.]+)\}/g, (_, path: string) => textAt(payload, path));
  if (Array.isArray(value)) return value.map((item: unknown) => filled(item, payload));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, filled(member, payload)]),
  );
}

function textAt(payload: object, path: string): string {
  let at: unknown = payload;
  for (const key of path.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return '';
    at = Reflect.get(at, key);
  }
  return typeof at === 'string' ? at : (JSON.stringify(at) ?? '');
}
