import { realpathSync } from 'node:fs';
import { isAbsolute, sep } from 'node:path';
import type { Handler, HandlerOf } from './handler.ts';
import { shellFile } from './run-command.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of a hook process (protocol 1.5): the parent's without telemetry settings, plus who is calling. */
export function hookEnvironment(
  parent: Environment,
  projectDir: string,
  handler: Handler,
  envFile?: string,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(parent))
    if (value !== undefined && !name.startsWith('OTEL_') && name !== 'CLAUDE_ENV_FILE')
      env[name] = value;
  const isFolders = handler.source === 'projectSettings' || handler.source === 'localSettings';
  const path = env['PATH'];
  if (path !== undefined && !isFolders) env['PATH'] = withoutProjectPrograms(path);
  return {
    ...env,
    CLAUDE_PROJECT_DIR: projectDir,
    CLAUDECODE: '1',
    CLAUDE_CODE_CHILD_SESSION: '1',
    ...(envFile !== undefined && { CLAUDE_ENV_FILE: envFile }),
  };
}

/**
 * `npx` and `npm run` put a project's programs first, and those of the folders above it: a clone could plant
 * the `jq` of the user's own guard (security rule 8).
 */
const withoutProjectPrograms = (path: string): string =>
  path
    .split(':')
    .filter((entry) => isAbsolute(entry))
    .filter((entry) => !isPackages(entry) && !isPackages(realOf(entry)))
    .join(':');

const isPackages = (folder: string): boolean => folder.split(sep).includes('node_modules');

function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/**
 * The program and arguments of a handler. In the shell form `${CLAUDE_PROJECT_DIR}` is left to the shell,
 * which has it in its environment: pasted into the line, a folder's name could run code.
 */
export function commandLine(
  handler: HandlerOf<'command'>,
  projectDir: string,
): { readonly file: string; readonly args: readonly string[] } {
  const fill = (text: string) => text.replaceAll('${CLAUDE_PROJECT_DIR}', () => projectDir);
  if (handler.args) return { file: fill(handler.command), args: handler.args.map(fill) };
  if (handler.shell === 'powershell')
    return { file: 'pwsh', args: ['-NoProfile', '-NonInteractive', '-Command', handler.command] };
  const file = shellFile();
  // Over a socket, which Node's pipes are, bash believes a remote shell started it and reads ~/.bashrc.
  const quiet = file.endsWith('bash') ? ['--norc'] : [];
  return { file, args: [...quiet, '-c', handler.command] };
}

/** A variable that a handler uses and that will be empty, or undefined. */
export const emptyVariable = (
  handler: HandlerOf<'command'>,
  env: Environment,
): string | undefined =>
  ['CLAUDE_PLUGIN_ROOT', 'CLAUDE_PLUGIN_DATA', 'CLAUDE_ENV_FILE'].find(
    (name) =>
      env[name] === undefined &&
      [handler.command, ...(handler.args ?? [])].some(
        (text) => text.includes(`$${name}`) || text.includes(`\${${name}`),
      ),
  );
