import type { PermissionUnit, RuleEntry } from '@toolgate/core';
import type { CommandIndex } from './command-index.ts';
import type { Judged } from './judged.ts';
import { normalPowerShell, spelledOut } from './powershell-text.ts';
import { alsoJudgedAs, contentKind, governs } from './rule-syntax.ts';
import type { RuleTable } from './rule-table.ts';
import { collapseBlanks } from './shell-text.ts';

/** A rule that binds. `open`: it may bind something the unit could touch, which is not known one by one. */
export interface Found {
  readonly entry: RuleEntry;
  readonly open?: true;
}

/** A deny or ask rule that binds the unit in any of its readings. */
export function findBinding(table: RuleTable, judged: Judged): Found | undefined {
  const { unit } = judged;
  const names = namesOf(judged);
  const whole = table.names.find(names);
  if (whole) return { entry: whole };
  if (unit.path !== undefined)
    return findPath(table, unit.tool === 'Read' ? 'Read' : 'Edit', judged);
  if (unit.content === undefined) {
    const guarded = findUnknown(table, judged);
    if (guarded) return { entry: guarded, open: true };
  }
  for (const name of names) {
    const index = table.commands.get(name);
    const entry = index && findText(index, name, judged);
    if (entry) return { entry };
  }
  const host = names.includes('WebFetch') ? unit.content : undefined;
  const entry = host === undefined ? undefined : table.domains.find(host);
  return entry && { entry };
}

function namesOf({ unit, names }: Judged): readonly string[] {
  const other = alsoJudgedAs(unit.tool);
  const known = unit.own ? names : [];
  if (other === undefined && known.includes(unit.tool)) return known;
  return [unit.tool, ...known, ...(other === undefined ? [] : [other])];
}

/** A Read deny also binds what would be edited, whatever edits it but NotebookEdit (protocol 3.6). */
export function findReadDeny(table: RuleTable, judged: Judged): Found | undefined {
  const { unit, call } = judged;
  if (unit.tool !== 'Edit' || unit.path === undefined || call.tool.name === 'NotebookEdit')
    return undefined;
  const whole = table.names.find(['Read']);
  return whole ? { entry: whole } : findPath(table, 'Read', judged);
}

/** A rule that an action of unknown place might hit: a file tool without a path, a fetch without a host. */
function findUnknown(table: RuleTable, { unit, call }: Judged): RuleEntry | undefined {
  const tool = unit.own ? call.tool.name : unit.tool;
  if (tool === 'WebFetch') return table.domains.first();
  const kind = (['Read', 'Edit'] as const).find((each) => governs(each, tool));
  return kind && table.paths[kind].first();
}

/** Links: a rule that matches the path or what it links to binds. */
function findPath(
  table: RuleTable,
  kind: 'Read' | 'Edit',
  { unit, places }: Judged,
): Found | undefined {
  const index = table.paths[kind];
  const paths = spellings(unit);
  for (const path of paths) {
    const entry = index.find(path, places) ?? (unit.open && index.findAllBelow(path, places));
    if (entry) return { entry };
  }
  for (const path of unit.open ? paths : []) {
    const entry = index.findSomeBelow(path, places);
    if (entry) return { entry, open: true };
  }
  return undefined;
}

const spellings = ({ path = '', realPath = path }: PermissionUnit): readonly string[] =>
  path === realPath ? [path] : [path, realPath];

function findText(
  index: CommandIndex,
  name: string,
  { unit, call }: Judged,
): RuleEntry | undefined {
  const kind = contentKind(name);
  const { command } = call.input;
  const written = kind === 'command' && typeof command === 'string' ? command : undefined;
  const raw = unit.exact ?? unit.content ?? written;
  if (raw === undefined) return undefined;
  const texts = new Set([unit.content ?? raw, raw, collapseBlanks(raw), ...(unit.readings ?? [])]);
  for (const text of texts) {
    const found = index.find(kind === 'powershell' ? normalPowerShell(text) : text);
    if (found) return found;
  }
  // A deny of a skill binds it with any arguments.
  if (kind === 'skill') return index.find(raw.split(/\s/, 1)[0] ?? '');
  if (kind !== 'command' && kind !== 'powershell') return undefined;
  // Nobody took the text apart: what it runs behind operators, wrappers and in scripts is not known.
  const isOpaque =
    unit.unparsed || unit.content === undefined || (unit.allowBy === 'exact' && !unit.readings);
  if (!isOpaque) return undefined;
  return index.findByWords(kind === 'powershell' ? spelledOut(raw) : raw);
}
