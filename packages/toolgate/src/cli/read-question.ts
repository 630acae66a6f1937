import {
  resolvePath,
  unknownKey,
  type PermissionMode,
  type RuleEntry,
  type SettingsSnapshot,
  type SettingsSourceName,
} from '@toolgate/core';
import { isNearMiss } from './near-miss.ts';
import { badLine, isBadLine, isObject, parseObject, type BadLine } from './parse-line.ts';
import type { InputLine } from './read-lines.ts';

/** A call to be explained, with the facts of its line. */
export interface Question {
  readonly id: unknown;
  readonly tool: string;
  readonly input: unknown;
  readonly cwd: string;
  readonly home: string;
  readonly mode: PermissionMode;
  readonly directories: readonly string[];
  readonly rules: readonly RuleEntry[];
  readonly symlinks: Readonly<Record<string, string>>;
}

/** What counts where a line says nothing. */
export interface QuestionDefaults {
  readonly cwd: string;
  readonly home: string;
  /** A policy whose rules and folders come first. */
  readonly policy?: SettingsSnapshot | undefined;
}

const sources: Readonly<Record<string, SettingsSourceName>> = {
  user: 'userSettings',
  project: 'projectSettings',
  local: 'localSettings',
  flag: 'flagSettings',
  policy: 'policySettings',
  cliArg: 'cliArg',
  command: 'command',
  session: 'session',
};

/** Reads a line; what is wrong with it is one sentence. */
export function questionOn(line: InputLine, defaults: QuestionDefaults): Question | BadLine {
  const { policy } = defaults;
  const value = parseObject(line);
  if (isBadLine(value)) return value;
  const misspelled = misspelledKey(Object.keys(value));
  if (misspelled) return badLine(line, misspelled);
  const {
    id,
    tool,
    input = {},
    rules = {},
    mode = policy?.mode ?? 'default',
    settingsSource = 'project',
    additionalDirectories = [],
    symlinks = {},
  } = value;
  const home = value['home'] ?? defaults.home;
  const cwd = value['cwd'] ?? value['projectRoot'] ?? defaults.cwd;
  const projectRoot = value['projectRoot'] ?? cwd;
  if (typeof tool !== 'string') return badLine(line, '"tool" must be the name of a tool');
  if (!isAbsolutePath(home) || !isAbsolutePath(cwd) || !isAbsolutePath(projectRoot))
    return badLine(line, '"cwd", "projectRoot" and "home" must be absolute paths');
  if (!isObject(rules))
    return badLine(line, '"rules" must be an object with lists "allow", "ask", "deny"');
  const source =
    typeof settingsSource === 'string'
      ? (sources[settingsSource] ?? Object.values(sources).find((name) => name === settingsSource))
      : undefined;
  if (!source)
    return badLine(line, `"settingsSource" must be one of ${Object.keys(sources).join(', ')}`);
  if (
    !Array.isArray(additionalDirectories) ||
    !additionalDirectories.every((item) => typeof item === 'string')
  )
    return badLine(line, '"additionalDirectories" must be a list of paths');
  if (!isObject(symlinks) || !Object.values(symlinks).every((target) => typeof target === 'string'))
    return badLine(line, '"symlinks" must map paths to paths');
  const where = { home, cwd };
  const root = rootOf(source, { ...where, projectRoot });
  const entries = rulesOf(rules, source, root);
  if (typeof entries === 'string') return badLine(line, entries);
  return {
    ...where,
    id,
    tool,
    input,
    mode: String(mode) === 'manual' ? 'default' : (String(mode) as PermissionMode), // createToolgate refuses what is none
    directories: [
      ...(policy?.directories ?? []),
      ...additionalDirectories.map((path) => resolvePath(String(path), where.cwd, where.home)),
    ],
    rules: [...(policy?.rules ?? []), ...entries],
    symlinks: Object.fromEntries(
      Object.entries(symlinks).map(([link, target]) => [link, String(target)]),
    ),
  };
}

const isAbsolutePath = (value: unknown): value is string =>
  typeof value === 'string' && value.startsWith('/');

const questionKeys = [
  'id',
  'tool',
  'input',
  'rules',
  'cwd',
  'projectRoot',
  'home',
  'mode',
  'additionalDirectories',
  'settingsSource',
  'symlinks',
];

/** A line may carry notes of its owner's; a key that is nearly one of ours is a mistake all the same. */
function misspelledKey(keys: readonly string[]): string | undefined {
  const unknown = keys.filter((key) => !questionKeys.includes(key));
  for (const key of unknown) {
    const meant = questionKeys.find((known) => isNearMiss(key, known));
    if (meant !== undefined) return `unknown key "${key}". Did you mean "${meant}"?`;
  }
  return undefined;
}

/** The folder that a `/path` in a rule is anchored at, by where the rule stands (protocol 3.6). */
function rootOf(
  source: SettingsSourceName,
  where: { readonly home: string; readonly cwd: string; readonly projectRoot: string },
): string {
  if (source === 'userSettings') return `${where.home}/.claude`;
  return source === 'projectSettings' ? where.projectRoot : where.cwd;
}

function rulesOf(
  rules: Readonly<Record<string, unknown>>,
  source: SettingsSourceName,
  root: string,
): readonly RuleEntry[] | string {
  const unknown = unknownKey(Object.keys(rules), ['allow', 'ask', 'deny'], '"rules"');
  if (unknown) return unknown;
  const entries: RuleEntry[] = [];
  for (const behavior of ['deny', 'ask', 'allow'] as const) {
    const texts = rules[behavior] ?? [];
    if (!Array.isArray(texts) || !texts.every((text) => typeof text === 'string'))
      return `"rules.${behavior}" must be a list of texts`;
    for (const [index, text] of texts.entries())
      entries.push({
        behavior,
        text: String(text),
        source,
        root,
        pointer: `/rules/${behavior}/${index}`,
      });
  }
  return entries;
}
