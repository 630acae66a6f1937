import {
  visibleText,
  type Decision,
  type PermissionUnit,
  type RuleEntry,
  type TrailEntry,
} from '@toolgate/core';

/** The call a sentence is about. */
export interface ToldCall {
  readonly id?: unknown;
  readonly tool: string;
  readonly input: unknown;
}

const verbs = { allow: 'runs without asking', ask: 'asks a person', deny: 'is refused' } as const;

/** A decision as people read it: one sentence with what decided, then each source that was heard. */
export function explainText(call: ToldCall, decision: Decision): string {
  const { id } = call;
  const label = id === undefined ? '' : `${typeof id === 'string' ? id : JSON.stringify(id)}: `;
  const lines = [
    `${label}${sentence(call, decision)}`,
    ...decision.trail.map((entry) => `  - ${entryText(entry)}`),
  ];
  return `${lines.map((line) => visibleText(line)).join('\n')}\n`;
}

/** What becomes of a call, and why, in one sentence without line breaks. */
export const sentence = (call: ToldCall, decision: Decision): string =>
  visibleText(`${callText(call)} ${verbs[decision.behavior]}, because ${becauseOf(decision)}.`);

/** The tool with what its input is about. */
export function callText({ tool, input }: Pick<ToldCall, 'tool' | 'input'>): string {
  const fields = [
    'command',
    'file_path',
    'notebook_path',
    'url',
    'pattern',
    'path',
    'subagent_type',
  ];
  const given = typeof input === 'object' && input !== null ? input : {};
  const field = fields.find((name) => typeof Reflect.get(given, name) === 'string');
  const text = field === undefined ? '' : String(Reflect.get(given, field));
  return text === '' ? tool : `${tool} ${quoted(text)}`;
}

/** The entry that made the decision what it is, where a rule did. */
export const decidingRule = ({ behavior, trail }: Decision): RuleEntry | undefined =>
  decisive(behavior, trail)?.rule;

/** Of those that said what was decided, one with a rule before one without. */
function decisive(
  behavior: Decision['behavior'],
  trail: Decision['trail'],
): TrailEntry | undefined {
  const said = trail.filter((entry) => entry.behavior === behavior);
  const last = said.at(-1);
  if (last && last.step !== 'opinion') return last;
  return said.find(({ rule }) => rule !== undefined) ?? said[0];
}

function becauseOf({ behavior, reason, trail }: Decision): string {
  const entry = decisive(behavior, trail);
  const open = trail
    .filter((each) => each.behavior === 'none' && each.unit)
    .map(({ unit }) => unit);
  if (!entry && open.length > 0)
    return `nothing allows ${list(open.map((unit) => (unit ? aboutUnit(unit) : '')))}`;
  if (!entry?.rule) return clause(entry?.reason ?? reason);
  const about =
    entry.unit && trail.some(({ unit }) => unit !== entry.unit) ? aboutUnit(entry.unit) : 'it';
  const { rule } = entry;
  const mayForbid = behavior === 'ask' && rule.behavior === 'deny';
  const says = {
    allow: 'allows',
    ask: mayForbid ? 'may forbid' : 'wants a yes for',
    deny: 'forbids',
  };
  return `the ${rule.behavior} rule ${rule.text} of ${placeOf(rule)} ${says[behavior]} ${about}`;
}

const list = (items: readonly string[]): string =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1) ?? ''}`;

/** A sentence as part of another. */
const clause = (text: string): string =>
  text
    .replaceAll(/\s*\n[\s-]*/g, ' ')
    .replace(/[.!]+$/, '')
    .replace(/^(?:A|An|The|This|No|It|Nobody|Somebody|Edits|Permissions)\b/, (word) =>
      word.toLowerCase(),
    );

const sourceNames: Readonly<Record<RuleEntry['source'], string>> = {
  userSettings: 'the user’s settings',
  projectSettings: 'the project’s settings',
  localSettings: 'the local settings',
  flagSettings: 'a settings file',
  policySettings: 'managed policy',
  cliArg: 'the command line',
  command: 'the running command',
  session: 'this session',
};

/** Where a rule stands: source, file and line, or its place in what was given. */
export function placeOf({ source, file, line, pointer }: RuleEntry): string {
  const place = file === undefined ? pointer : [file, line].filter(Boolean).join(':');
  return `${sourceNames[source]}${place === undefined ? '' : ` (${place})`}`;
}

/** A part of a call: a command, or what is read or written. */
function aboutUnit({ tool, exact, content, path, open }: PermissionUnit): string {
  const verb = tool === 'Read' ? 'reading' : 'writing';
  if (path !== undefined) return `${verb} ${open ? `below ${path}` : path}`;
  const text = exact ?? content;
  return text === undefined ? tool : quoted(text);
}

/** At most 200 characters, in backquotes unless the text has some. */
function quoted(text: string): string {
  const short = text.length > 200 ? `${text.slice(0, 200)}…` : text;
  return short.includes('`') ? `"${short}"` : `\`${short}\``;
}

function entryText({ behavior, from, plugin, reason, rule, unit, strength }: TrailEntry): string {
  if (behavior === 'none' && unit) return `nothing allows ${aboutUnit(unit)}`;
  const who = plugin === 'toolgate' ? from : `${from} (${plugin})`;
  const what = {
    allow: 'allows',
    ask: strength === 'person' ? 'wants the yes of a person for' : 'wants a yes for',
    deny: 'forbids',
    none: 'has nothing to say to',
    failed: 'failed on',
    dropped: 'may not settle',
  }[behavior];
  const by = rule && ` by the rule ${rule.text} of ${placeOf(rule)}`;
  return `${who} ${what} ${unit ? aboutUnit(unit) : 'the call'}${by ?? ''}${reason ? `: ${reason}` : ''}`;
}
