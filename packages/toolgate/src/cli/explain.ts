import {
  createToolgate,
  isToolgateError,
  unknownKey,
  resolvePath,
  type Decision,
  type Diagnostic,
  type PermissionMode,
  type RuleEntry,
  type SettingsSourceName,
  type ToolgateOptions,
} from '@toolgate/core';
import { ruleDiagnostics } from '@toolgate/permissions';
import { createDecider } from './decider.ts';
import { explainText } from './explain-text.ts';
import { isNearMiss } from './near-miss.ts';
import { loadConfig } from './load-config.ts';
import { describe, say, writeText } from './output.ts';
import { badLine, isBadLine, isObject, parseObject, type BadLine } from './parse-line.ts';
import { processLines } from './process-lines.ts';
import type { InputLine } from './read-lines.ts';

export interface ExplainFlags {
  readonly config?: string;
  readonly text: boolean;
}

/** `toolgate explain`: what would be decided about a call, and why. Runs nothing, asks no one, touches no disk. */
export async function explain(file: string | undefined, flags: ExplainFlags): Promise<number> {
  const config = flags.config === undefined ? undefined : await loadConfig(flags.config);
  if (config) await createToolgate(config).close();
  const { signal } = new AbortController();
  // `explainText` needs the call as well, which the answer does not hold.
  const texts = new WeakMap<object, string>();
  const write = (answer: object) => writeText(texts.get(answer) ?? '');
  const work = async (line: InputLine) => {
    const question = questionOn(line);
    if (isBadLine(question)) return question;
    for (const diagnostic of ruleDiagnostics(question.rules))
      say(`${file ?? 'standard input'}:${line.number}: ${describe(diagnostic)}`);
    try {
      const answer = await answerTo(question, config);
      texts.set(answer, explainText(question, answer));
      return answer;
    } catch (error) {
      if (isToolgateError(error)) return badLine(line, error.message);
      throw error;
    }
  };
  return (await processLines(file, { signal, work, ...(flags.text && { write }) })) ? 0 : 2;
}

interface Question {
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

interface Explained extends Decision {
  readonly id?: unknown;
}

async function answerTo(
  question: Question,
  config: ToolgateOptions | undefined,
): Promise<Explained> {
  const { id, tool, input, cwd, mode, home, symlinks, rules, directories } = question;
  const settings = { rules, mode, directories, values: [], diagnostics: [] };
  const onDiagnostic = (diagnostic: Diagnostic) => say(describe(diagnostic));
  const decider = createDecider({ settings, home, symlinks, config, onDiagnostic });
  const { behavior, reason, trail } = await decider.decide({ tool, input, cwd });
  await decider.close();
  return { ...(id !== undefined && { id }), behavior, reason, trail };
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

function questionOn(line: InputLine): Question | BadLine {
  const value = parseObject(line);
  if (isBadLine(value)) return value;
  const misspelled = misspelledKey(Object.keys(value));
  if (misspelled) return badLine(line, misspelled);
  const {
    id,
    tool,
    input = {},
    rules = {},
    mode = 'default',
    settingsSource = 'project',
    additionalDirectories = [],
    symlinks = {},
  } = value;
  const home = value['home'] ?? '/home/user';
  const cwd = value['cwd'] ?? value['projectRoot'] ?? '/project';
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
    directories: additionalDirectories.map((path) =>
      resolvePath(String(path), where.cwd, where.home),
    ),
    rules: entries,
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
