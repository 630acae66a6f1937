import { blockOfBytes } from './binary.ts';
import { ToolgateError } from './errors.ts';
import { schemasOf } from './input-schema.ts';
import { checkKeys } from './nearest.ts';
import type {
  AnyTool,
  DescriptionOptions,
  InputOf,
  Tool,
  ToolDef,
  ToolProgressData,
} from './tool.ts';
import { textView, type View } from './view.ts';

const namePattern = /^[A-Za-z0-9_-]{1,128}$/;

/**
 * Makes a tool of a definition and fills in what it leaves out, always the careful way: not read-only,
 * not safe beside others, not idempotent, no opinion about permission, 50,000 characters of result.
 *
 * What a tool says of itself (`checkPermissions: allow`, `isReadOnly`, `isConcurrencySafe`, `isIdempotent`)
 * decides only where the tool is trusted: handed over by the embedder in `createToolgate({ tools })`, or named
 * in `trust`, by identity and not by name. A tool that comes with a plugin or a server is not; there these
 * can make a call stricter and never allow it.
 *
 * @throws ToolgateError `TG_TOOL_INVALID` for a bad name, a missing part or a misspelled key.
 */
export function buildTool<S = undefined, O = unknown, P = ToolProgressData>(
  def: ToolDef<S, O, P>,
): Tool<InputOf<S>, O, P> {
  const name = String(def.name);
  const invalid = (problem: string) => new ToolgateError('TG_TOOL_INVALID', problem);
  if (!namePattern.test(name))
    throw invalid(`"${name}" is no tool name. Use 1 to 128 of A-Z a-z 0-9 _ -.`);
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
  const known = [...Object.keys(filled), 'name', 'inputSchema', 'inputJSONSchema', 'call'];
  checkKeys(def, known, `tool ${name}`, 'TG_TOOL_INVALID');
  if (typeof def.call !== 'function') throw invalid(`tool ${name} has no call function.`);
  const schemas = schemasOf(def);
  if ('problem' in schemas) throw invalid(`tool ${name} ${schemas.problem}`);
  const tool: Tool<InputOf<S>, O, P> = { ...filled, ...rest, ...schemas };
  for (const alias of [...tool.aliases, ...tool.deprecatedAliases])
    if (!namePattern.test(alias))
      throw invalid(`tool ${name} has the alias "${alias}", which is no tool name.`);
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
  mapToolResultToToolResultBlockParam: (data: unknown) => ({
    content: data instanceof Uint8Array ? [blockOfBytes(data)] : asText(data),
  }),
};

/** True when the tool's author left a function out, so that asking it would tell nothing. */
export const hasDefault = (
  tool: AnyTool,
  name: 'validateInput' | 'backfillObservableInput' | 'isReadOnly' | 'effects',
): boolean => tool[name] === defaults[name];
