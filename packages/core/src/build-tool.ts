import { z } from 'zod';
import { ToolgateError } from './errors.ts';
import { checkKeys } from './nearest.ts';
import type { AnyTool, DescriptionOptions, Tool, ToolDef, ToolProgressData } from './tool.ts';
import { textView, type View } from './view.ts';

const namePattern = /^[A-Za-z0-9_-]{1,128}$/;

/**
 * Makes a tool of a definition and fills in what it leaves out, always the careful way: not read-only,
 * not safe beside others, not idempotent, no opinion about permission, 50,000 characters of result.
 *
 * @throws ToolgateError `TG_TOOL_INVALID` for a bad name, a missing part or a misspelled key.
 */
export function buildTool<S extends z.ZodType, O, P = ToolProgressData>(
  def: ToolDef<S, O, P>,
): Tool<z.output<S>, O, P> {
  const name = String(def.name);
  if (!namePattern.test(name))
    throw new ToolgateError(
      'TG_TOOL_INVALID',
      `"${name}" is no tool name. Use 1 to 128 of A-Z a-z 0-9 _ -.`,
    );
  const { description, ...rest } = def;
  const filled = {
    ...defaults,
    description: typeof description === 'function' ? description : () => description,
    prompt: (options: DescriptionOptions) => tool.description(undefined, options),
    userFacingName: () => name,
    getActivityDescription: () => name,
    renderToolUseMessage: (input: unknown): View => ({
      type: 'code',
      text: JSON.stringify(input, undefined, 2),
      language: 'json',
    }),
    renderToolResultMessage: (data: unknown) => textView(asText(data)),
    renderToolUseProgressMessage: (data: unknown) => textView(asText(data)),
    renderToolUseRejectedMessage: () => textView(`${name} was not allowed.`),
    renderToolUseErrorMessage: (message: string): View => ({
      type: 'text',
      text: message,
      tone: 'bad',
    }),
    renderGroupedToolUse: () => undefined,
  };
  const known = [...Object.keys(filled), 'name', 'inputSchema', 'call'];
  checkKeys(def, known, `tool ${name}`, 'TG_TOOL_INVALID');
  const tool: Tool<z.output<S>, O, P> = { ...filled, ...rest };
  if (typeof tool.call !== 'function')
    throw new ToolgateError('TG_TOOL_INVALID', `tool ${name} has no call function.`);
  if (typeof tool.inputSchema?.safeParse !== 'function')
    throw new ToolgateError(
      'TG_TOOL_INVALID',
      `tool ${name} has no inputSchema. Give it a Zod object schema; other schema languages are not supported yet.`,
    );
  for (const alias of [...tool.aliases, ...tool.deprecatedAliases])
    if (!namePattern.test(alias))
      throw new ToolgateError(
        'TG_TOOL_INVALID',
        `tool ${name} has the alias "${alias}", which is no tool name.`,
      );
  return Object.freeze(tool);
}

const asText = (data: unknown): string =>
  typeof data === 'string' ? data : (JSON.stringify(data) ?? '');

const defaults = {
  aliases: [],
  deprecatedAliases: [],
  searchHint: '',
  shouldDefer: false,
  alwaysLoad: false,
  outputSchema: undefined,
  pathFields: {},
  timeoutMs: 600_000,
  maxResultSizeChars: 50_000,
  isEnabled: () => true,
  effects: () => ({}),
  validateInput: () => ({ result: true as const }),
  checkPermissions: () => ({ behavior: 'passthrough' as const }),
  backfillObservableInput: <T>(input: T) => input,
  toAutoClassifierInput: () => '',
  isReadOnly: () => false,
  isConcurrencySafe: () => false,
  isDestructive: () => false,
  isIdempotent: () => false,
  interruptBehavior: () => 'block' as const,
  mapToolResultToToolResultBlockParam: (data: unknown) => ({ content: asText(data) }),
};

/** True when the tool's author left a function out, so that asking it would tell nothing. */
export const hasDefault = (
  tool: AnyTool,
  name: 'validateInput' | 'backfillObservableInput',
): boolean => tool[name] === defaults[name];
