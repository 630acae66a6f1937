import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  diskFacts,
  effectsFacts,
  folderStore,
  type Effects,
  type MappedResult,
  type PermissionUnit,
  type ReadFileEntry,
  type Tool,
  type ToolUseContext,
} from '@toolgate/core';
import { expect, onTestFinished } from 'vitest';

/** A folder of its own with these files, removed after the test. */
export async function project(files: Readonly<Record<string, string | Uint8Array>> = {}) {
  const cwd = await realpath(await mkdtemp(join(tmpdir(), 'tools-builtin-')));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    const path = join(cwd, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
  return cwd;
}

export interface Session {
  readonly cwd: string;
  /** Default: `cwd` alone. */
  readonly directories?: readonly string[];
  readonly readFileState?: Map<string, ReadFileEntry>;
  readonly signal?: AbortSignal;
  readonly userModified?: boolean;
  readonly readOnly?: boolean;
  readonly deniesRead?: (path: string) => boolean;
}

/** What core would hand to a tool for one input. */
export function contextFor<I, O, P>(
  tool: Tool<I, O, P>,
  input: I,
  session: Session,
): ToolUseContext {
  const { cwd, directories = [cwd] } = session;
  const facts = effectsFacts({ cwd, directories, facts: diskFacts() });
  const answer = tool.effects(input, facts);
  const fields = input as Readonly<Record<string, unknown>>; // tool inputs are objects
  const paths = Object.entries(tool.pathFields).flatMap(([field, kind]): PermissionUnit[] => {
    const { as, open = false, whenMissing } = typeof kind === 'string' ? { as: kind } : kind;
    const value = fields[field] ?? whenMissing;
    return typeof value === 'string' ? [facts.pathUnit(as, value, { open })] : [];
  });
  const effects: Effects = {
    units: [...(answer.units ?? []), ...paths].map((unit) => ({ ...unit, own: true })),
    readOnly: session.readOnly ?? tool.isReadOnly(input),
    destructive: answer.destructive ?? false,
    concurrencySafe: tool.isConcurrencySafe(input),
    warnings: answer.warnings ?? [],
    suggestedRules: answer.suggestedRules ?? [],
    needs: [],
  };
  const store = folderStore({ parent: tmpdir() });
  const abortController = new AbortController();
  session.signal?.addEventListener('abort', () => abortController.abort());
  if (session.signal?.aborted) abortController.abort();
  return {
    options: {
      tools: [],
      refreshTools: () => [],
      isNonInteractiveSession: true,
      debug: false,
      verbose: false,
      mainLoopModel: undefined,
    },
    sessionId: 'session',
    toolUseId: 'toolu_1',
    agentId: undefined,
    agentType: undefined,
    abortController,
    signal: abortController.signal,
    cwd,
    home: facts.home,
    effects,
    userModified: session.userModified ?? false,
    filledByHook: [],
    messages: [],
    parentMessage: undefined,
    queryTracking: undefined,
    fileReadingLimits: undefined,
    globLimits: undefined,
    toolDecisions: new Map(),
    canUseTool: async () => ({ behavior: 'deny', reason: 'nobody was asked', trail: [] }),
    toolPermissionContext: { mode: 'default', directories },
    contentReplacementState: undefined,
    readFileState: session.readFileState ?? new Map(),
    getAppState: () => ({}),
    setAppState: () => undefined,
    ownsResult: (path) => store.owns(path),
    newResultFile: async () => store.reserve?.(),
    isInside: (path) => facts.isInside(path),
    detach: () => expect.unreachable(),
    deniesRead: session.deniesRead ?? (() => false),
    fork: () => {
      throw new Error('There is no gate here.');
    },
    addNotification: () => undefined,
    appendSystemMessage: () => undefined,
  };
}

/** Checks and runs a tool as the stages would, all allowed. Throws what `call` throws. */
export async function use<I, O, P>(
  tool: Tool<I, O, P>,
  input: I,
  session: Session,
  options: { readonly onProgress?: (data: P) => void; readonly context?: ToolUseContext } = {},
) {
  const context = options.context ?? contextFor(tool, input, session);
  const checked = await tool.validateInput(input, context);
  if (!checked.result) throw new Error(`refused: ${checked.message}`);
  const result = await tool.call(input, context, options.onProgress ?? (() => undefined));
  const mapped = tool.mapToolResultToToolResultBlockParam(result.data, 'toolu_1');
  return { ...result, mapped, text: textOf(mapped), isError: mapped.is_error === true };
}

const textOf = ({ content }: MappedResult): string =>
  typeof content === 'string' ? content : JSON.stringify(content);

/** True while a process exists and is no zombie. */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const { readFile } = await import('node:fs/promises');
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return status === undefined ? process.platform !== 'linux' : !/\) Z /.test(status);
}
