import { resolve } from 'node:path';
import {
  allow,
  ask,
  buildTool,
  type AnyObject,
  type AnyTool,
  type EffectsAnswer,
  type PathFields,
  type PermissionResult,
  type PermissionUnit,
  type Tools,
  type ToolUseContext,
} from '@toolgate/core';
import { z } from 'zod';
import { splitPowerShell } from './powershell-text.ts';

/** What is known about a tool by its name alone. */
interface KnownTool {
  readonly aliases?: readonly string[];
  /** What becomes of a call that no rule is about; `inside`: free in the working directories. */
  readonly byDefault: 'allow' | 'inside' | 'prompt' | 'person';
  /** It changes nothing outside the conversation. Default: what needs no permission. */
  readonly readOnly?: boolean;
  readonly pathFields?: PathFields;
  readonly units?: (input: AnyObject) => readonly PermissionUnit[];
}

const free: KnownTool = { byDefault: 'allow' };
const prompts: KnownTool = { byDefault: 'prompt' };
const person: KnownTool = { byDefault: 'person', readOnly: true };

/** The tools of protocol 3.7 and 4.1 that other packages bring no working tool for. */
const table: Readonly<Record<string, KnownTool>> = {
  WebFetch: { byDefault: 'prompt', units: webFetchUnits },
  WebSearch: prompts,
  Agent: {
    aliases: ['Task'],
    byDefault: 'allow',
    units: ({ subagent_type: type }) => [unit('Agent', textOr(type, 'general-purpose'), true)],
  },
  Skill: {
    byDefault: 'prompt',
    units: ({ skill, args }) => [unit('Skill', `${textOr(skill, '')} ${textOr(args, '')}`.trim())],
  },
  NotebookEdit: { byDefault: 'prompt', pathFields: { notebook_path: 'Edit' } },
  MultiEdit: { byDefault: 'prompt', pathFields: { file_path: 'Edit' } },
  LSP: { byDefault: 'inside', readOnly: true, pathFields: { filePath: 'Read', file_path: 'Read' } },
  Monitor: { byDefault: 'prompt', units: monitorUnits },
  PowerShell: { byDefault: 'prompt', units: powerShellUnits },
  Workflow: prompts,
  REPL: prompts,
  AskUserQuestion: person,
  ExitPlanMode: person,
  EnterPlanMode: free,
  TodoWrite: free,
  TaskCreate: free,
  TaskGet: free,
  TaskList: free,
  TaskUpdate: free,
  TaskOutput: { byDefault: 'allow', aliases: ['BashOutput'] },
  TaskStop: { byDefault: 'allow', aliases: ['KillShell', 'KillBash'] },
  ToolSearch: free,
  CronCreate: free,
  CronDelete: free,
  CronList: free,
  ListAgents: { byDefault: 'allow', aliases: ['ListPeers'] },
  ListMcpResourcesTool: { byDefault: 'allow', aliases: ['ListMcpResources'] },
  ReadMcpResourceTool: { byDefault: 'allow', aliases: ['ReadMcpResource'] },
  ReadMcpResourceDirTool: { byDefault: 'allow', aliases: ['ReadMcpResourceDir'] },
};

const textOr = (value: unknown, fallback: string): string =>
  typeof value === 'string' && value !== '' ? value : fallback;

const unit = (tool: string, content: string, readOnly = false): PermissionUnit => ({
  tool,
  content,
  readOnly,
  own: true,
});

/** The host of the address; without one the unit has no content, so that only a bare rule covers it. */
function webFetchUnits({ url }: AnyObject): readonly PermissionUnit[] {
  const host = typeof url === 'string' ? URL.parse(url)?.hostname : undefined;
  return [
    host ? unit('WebFetch', `domain:${host}`) : { tool: 'WebFetch', readOnly: false, own: true },
  ];
}

/** One opaque command: it is not taken apart here, so that only its exact text or a bare rule allows it. */
function monitorUnits({ command }: AnyObject): readonly PermissionUnit[] {
  if (typeof command !== 'string')
    return [{ tool: 'Monitor', readOnly: false, allowBy: 'exact', own: true }];
  return [{ ...unit('Monitor', command.trim()), exact: command.trim(), allowBy: 'exact' }];
}

function powerShellUnits({ command }: AnyObject): readonly PermissionUnit[] {
  const parts = splitPowerShell(textOr(command, ''));
  if (parts.length === 0)
    return [{ tool: 'PowerShell', readOnly: false, allowBy: 'exact', own: true }];
  return parts.map(({ text, plain }) => ({
    ...unit('PowerShell', text),
    exact: text,
    allowBy: plain ? 'pattern' : 'exact',
  }));
}

function permission(
  { byDefault, pathFields = {} }: KnownTool,
  input: AnyObject,
  { cwd, isInside }: Pick<ToolUseContext, 'cwd' | 'isInside'>,
): PermissionResult {
  if (byDefault === 'allow') return allow('This tool needs no permission.');
  if (byDefault === 'person') return ask('This needs an answer from a person.', 'person');
  const paths = Object.keys(pathFields).flatMap((field) => input[field] ?? []);
  const isFree =
    byDefault === 'inside' &&
    paths.length > 0 &&
    paths.every((path) => typeof path === 'string' && isInside(resolve(cwd, path)));
  return isFree ? allow('Inside the working directories.') : { behavior: 'passthrough' };
}

function placeholder(name: string, known: KnownTool): AnyTool {
  const {
    aliases = [],
    byDefault,
    pathFields = {},
    units,
    readOnly = byDefault === 'allow',
  } = known;
  return buildTool({
    name,
    aliases,
    description: `${name} is known by name only, so that rules about it can be explained.`,
    inputSchema: z.looseObject({}),
    pathFields,
    isReadOnly: () => readOnly,
    isConcurrencySafe: () => readOnly,
    effects: (input: AnyObject): EffectsAnswer => (units ? { units: units(input) } : {}),
    checkPermissions: (input: AnyObject, context) => permission(known, input, context),
    call: (): never => {
      throw new Error(`${name} is known by name only and cannot run here.`);
    },
  });
}

/**
 * Stand-ins for documented tools that are not registered: they have the fields that rules are about and
 * say whether the tool needs permission, and refuse to run. For `explain`.
 */
export const knownTools = (): Tools =>
  Object.entries(table).map(([name, known]) => placeholder(name, known));

/**
 * A stand-in for any other tool, an MCP tool among them: one opaque unit, never run.
 *
 * @throws ToolgateError `TG_TOOL_INVALID` for a name that no tool can have.
 */
export const unknownTool = (name: string): AnyTool => placeholder(name, prompts);
