import { canonicalName } from './legacy-names.ts';

/** What a rule's content means for a tool (protocol 3.4 to 3.7). */
export type ContentKind =
  | 'command'
  | 'powershell'
  | 'path'
  | 'domain'
  | 'skill'
  | 'text'
  | 'ignored-path'
  | 'none';

const kinds: Readonly<Record<string, ContentKind>> = {
  Bash: 'command',
  Monitor: 'command',
  PowerShell: 'powershell',
  Read: 'path',
  Edit: 'path',
  WebFetch: 'domain',
  Skill: 'skill',
  Agent: 'text',
  Write: 'ignored-path',
  MultiEdit: 'ignored-path',
  NotebookEdit: 'ignored-path',
  Glob: 'ignored-path',
  Grep: 'ignored-path',
  WebSearch: 'none',
  ExitPlanMode: 'none',
  TodoWrite: 'none',
};
const kindOf = new Map(Object.entries(kinds));

/** Tools without an entry compare content with what the tool itself calls its units' content; MCP tools have none. */
export const contentKind = (tool: string): ContentKind =>
  kindOf.get(canonicalName(tool)) ?? (tool.startsWith('mcp__') ? 'none' : 'text');

const primaryFields = new Map([
  ['Bash', ['command']],
  ['PowerShell', ['command']],
  ['Monitor', ['command']],
  ['Read', ['file_path']],
  ['Edit', ['file_path']],
  ['Write', ['file_path']],
  ['Grep', ['path']],
  ['Glob', ['path']],
  ['NotebookEdit', ['notebook_path']],
  ['WebFetch', ['url']],
]);

/** True for the field that a tool's ordinary content rules are about; a parameter rule may not name it. */
export const isPrimaryField = (tool: string, field: string): boolean =>
  primaryFields.get(tool)?.includes(field) ?? false;

/** Tools whose commands are also judged by the content rules of another (protocol 3.7). */
export const alsoJudgedAs = (tool: string): string | undefined =>
  tool === 'Monitor' ? 'Bash' : undefined;

/** The tools whose own action is what rules about another tool's name describe. */
const governed = new Map([
  ['Read', new Set(['Read', 'Grep', 'Glob', 'LSP'])],
  ['Edit', new Set(['Edit', 'Write', 'NotebookEdit', 'MultiEdit'])],
]);

/**
 * True when allow rules for `unitTool` may cover the own action of `callTool`. A tool that merely names
 * a file in its input does more than read it, so it needs a rule of its own.
 */
export const governs = (unitTool: string, callTool: string): boolean =>
  unitTool === callTool || (governed.get(unitTool)?.has(callTool) ?? false);

/** Names that rules may hold without a warning: the tools that the protocol documents. */
export const documentedTools: ReadonlySet<string> = new Set(
  `Agent AskUserQuestion Bash BashOutput Cd CronCreate CronDelete CronList Edit EndConversation EnterPlanMode
  EnterWorktree ExitPlanMode ExitWorktree Glob Grep LSP ListAgents ListMcpResourcesTool Monitor MultiEdit
  NotebookEdit PowerShell Read ReadMcpResourceDirTool ReadMcpResourceTool REPL SendUserMessage SetGoal Skill
  TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TodoWrite ToolSearch WebFetch WebSearch Workflow Write`.split(
    /\s+/,
  ),
);
