import { readFileSync } from 'node:fs';
import {
  allow,
  buildTool,
  createToolgate,
  emptySnapshot,
  resolvePath,
  type AnyObject,
  type AnyTool,
  type Behavior,
  type Decision,
  type EffectsAnswer,
  type EffectsFacts,
  type PathFacts,
  type PathFields,
  type PermissionMode,
  type RuleEntry,
  type SettingsSourceName,
} from '@toolgate/core';
import { z } from 'zod';
import { knownTools, modes, rulesBackend, unknownTool } from '../../src/index.ts';

export interface Vector {
  readonly id: string;
  readonly rules: Readonly<Record<Behavior, readonly string[]>>;
  readonly tool: string;
  readonly input: AnyObject;
  readonly cwd: string;
  readonly projectRoot: string;
  readonly home: string;
  readonly mode: PermissionMode;
  readonly expect: Behavior;
  readonly accept?: readonly Behavior[];
  readonly settingsSource?: 'user' | 'project' | 'local' | 'cliArg' | 'session';
  readonly additionalDirectories?: readonly string[];
  readonly symlinks?: Readonly<Record<string, string>>;
}

export const readVectors = (): readonly Vector[] =>
  JSON.parse(
    readFileSync(new URL('../fixtures/permission-rules.json', import.meta.url), 'utf8'),
  ) as readonly Vector[]; // the fixture's shape

/** A file tool as far as decisions go: reads inside the working directories are free. */
function fileTool(name: string, pathFields: PathFields, isReader: boolean): AnyTool {
  return buildTool({
    name,
    description: name,
    inputSchema: z.looseObject({}),
    pathFields,
    isReadOnly: () => isReader,
    checkPermissions: (input, context) => {
      if (!isReader) return { behavior: 'passthrough' };
      const path = input['file_path'] ?? input['path'] ?? '.';
      return typeof path === 'string' && context.isInside(resolvePath(path, context.cwd, ''))
        ? allow('Inside the working directories.')
        : { behavior: 'passthrough' };
    },
    call: () => ({ data: '' }),
  });
}

/** The tools that have working versions elsewhere; `bash` stands for the Bash reader of another package. */
export const standIns = (
  bash?: (input: AnyObject, facts: EffectsFacts) => EffectsAnswer,
): readonly AnyTool[] => [
  fileTool('Read', { file_path: 'Read' }, true),
  fileTool('Grep', { path: { as: 'Read', open: true, whenMissing: '.' } }, true),
  fileTool('Glob', { path: { as: 'Read', open: true, whenMissing: '.' } }, true),
  fileTool('Write', { file_path: 'Edit' }, false),
  fileTool('Edit', { file_path: 'Edit' }, false),
  buildTool({
    name: 'Bash',
    description: 'Bash',
    inputSchema: z.looseObject({
      command: z.string(),
      run_in_background: z.boolean().optional(),
    }),
    effects: (input, facts) =>
      bash?.(input, facts) ?? {
        units: [
          {
            tool: 'Bash',
            content: input.command.trim(),
            exact: input.command,
            allowBy: 'exact',
            readOnly: false,
          },
        ],
      },
    checkPermissions: () => ({ behavior: 'passthrough' }),
    call: () => ({ data: '' }),
  }),
];

const sources: Readonly<Record<string, SettingsSourceName>> = {
  user: 'userSettings',
  project: 'projectSettings',
  local: 'localSettings',
  cliArg: 'cliArg',
  session: 'session',
};

export function vectorRules(vector: Vector): readonly RuleEntry[] {
  const { rules, settingsSource = 'project', cwd, projectRoot, home } = vector;
  const root =
    settingsSource === 'user'
      ? `${home}/.claude`
      : settingsSource === 'project'
        ? projectRoot
        : cwd;
  return (['deny', 'ask', 'allow'] as const).flatMap((behavior) =>
    rules[behavior].map((text) => ({
      behavior,
      text,
      source: sources[settingsSource] ?? 'projectSettings',
      root,
    })),
  );
}

export function factsOf({ home, symlinks = {} }: Pick<Vector, 'home' | 'symlinks'>): PathFacts {
  const realPath = (path: string) => {
    for (const [link, target] of Object.entries(symlinks))
      if (path === link || path.startsWith(`${link}/`)) return target + path.slice(link.length);
    return path;
  };
  return { home, realPath, folderIdentity: () => undefined, holds: () => true };
}

/** Decides a vector through the real gate. */
export async function decideVector(
  vector: Vector,
  bash?: (input: AnyObject, facts: EffectsFacts) => EffectsAnswer,
  rules: readonly RuleEntry[] = vectorRules(vector),
): Promise<Decision> {
  const { cwd, mode, additionalDirectories = [] } = vector;
  const facts = factsOf(vector);
  const tools = [...standIns(bash), ...knownTools()];
  const isKnown = tools.some(
    ({ name, aliases }) => name === vector.tool || aliases.includes(vector.tool),
  );
  const snapshot = { ...emptySnapshot, rules, mode, directories: additionalDirectories };
  const gate = createToolgate({
    tools: isKnown ? tools : [...tools, unknownTool(vector.tool)],
    permissions: rulesBackend({ facts }),
    plugins: [modes({ facts })],
    settings: { current: () => snapshot },
    facts,
    cwd,
  });
  return gate.explain({ type: 'tool_use', id: 'v', name: vector.tool, input: vector.input });
}

export const accepted = ({ expect, accept }: Vector): readonly Behavior[] => accept ?? [expect];
