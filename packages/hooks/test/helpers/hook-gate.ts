import {
  allow,
  buildTool,
  createToolgate,
  emptySnapshot,
  type Diagnostic,
  type Plugin,
  type SettingsSourceName,
  type SettingValue,
  type ToolgateOptions,
  type Tools,
  type ToolUse,
} from '@toolgate/core';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { commandHooks, type HookRunner, type HookRunnerOptions } from '../../src/index.ts';

/** A temporary folder with scripts in it. */
export async function scripts(name = 'toolgate hooks ') {
  const folder = await mkdtemp(join(tmpdir(), name));
  return {
    folder,
    /** Writes an executable file; `bash` unless the text brings its own first line. */
    async put(file: string, text: string): Promise<string> {
      const path = join(folder, file);
      await writeFile(path, text.startsWith('#!') ? text : `#!/bin/bash\n${text}\n`);
      await chmod(path, 0o755);
      return path;
    },
    read: (file: string) => readFile(join(folder, file), 'utf8').catch(() => ''),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

export const value = (
  key: string,
  content: unknown,
  source: SettingsSourceName = 'userSettings',
): SettingValue => ({
  key,
  value: content,
  source,
  file: `/settings/${source}.json`,
  line: 1,
  pointer: `/${key}`,
});

/** A group of command hooks for one matcher. */
export const group = (matcher: string | undefined, ...hooks: readonly (string | object)[]) => ({
  ...(matcher !== undefined && { matcher }),
  hooks: hooks.map((hook) =>
    typeof hook === 'string' ? { type: 'command', command: hook } : { type: 'command', ...hook },
  ),
});

export const toolUse = (name: string, input: object, id = 'toolu_1'): ToolUse => ({
  type: 'tool_use',
  id,
  name,
  input,
});
export const echoHi = toolUse('Bash', { command: 'echo hi' });

/** A gate with a Bash that only knows `echo` and `exit`, an Edit with a derived path, and the hooks under test. */
export function hookGate(
  folder: string,
  hooks: object,
  more: {
    readonly values?: readonly SettingValue[];
    readonly gate?: Partial<ToolgateOptions>;
    readonly options?: HookRunnerOptions;
    readonly tools?: Tools;
    readonly plugins?: readonly Plugin[];
    readonly runner?: HookRunner;
  } = {},
) {
  const diagnostics: Diagnostic[] = [];
  const ran: string[] = [];
  const bash = buildTool({
    name: 'Bash',
    description: 'Runs a command.',
    inputSchema: z.object({ command: z.string(), description: z.string().optional() }),
    call({ command }) {
      ran.push(command);
      return {
        data: { stdout: command.replace(/^echo /, ''), code: command.startsWith('exit') ? 3 : 0 },
      };
    },
    mapToolResultToToolResultBlockParam: ({ stdout, code }) =>
      code === 0 ? { content: stdout } : { content: `Exit code ${code}`, is_error: true },
  });
  const edit = buildTool({
    name: 'Edit',
    description: 'Edits a file.',
    inputSchema: z.strictObject({ file_path: z.string(), text: z.string().optional() }),
    backfillObservableInput: (input, { cwd }) => ({
      ...input,
      file_path: join(cwd, String(input['file_path'])),
      derived: true,
    }),
    call(input) {
      ran.push(JSON.stringify(input));
      return { data: { done: true } };
    },
  });
  const broken = buildTool({
    name: 'Broken',
    description: 'Fails.',
    inputSchema: z.object({}),
    call() {
      throw new Error('no luck');
    },
  });
  const values = [value('hooks', hooks), ...(more.values ?? [])];
  const snapshot = { ...emptySnapshot, values };
  const gate = createToolgate({
    tools: [bash, edit, broken, ...(more.tools ?? [])],
    plugins: [more.runner?.plugin ?? commandHooks(more.options), ...(more.plugins ?? [])],
    permissions: () => allow('Test.', 'all'),
    settings: { current: () => snapshot },
    cwd: folder,
    sessionId: 'session-1',
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    ...more.gate,
  });
  return { gate, diagnostics, ran };
}

export const envelope = (decision: string, more: object = {}): string =>
  JSON.stringify({
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: decision, ...more },
  });
/** A shell line that prints a text as it is. */
export const print = (text: string): string => `printf '%s' '${text.replaceAll("'", `'\\''`)}'`;
