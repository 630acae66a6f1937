import type { PermissionUnit, RuleEntry, StartedCall } from '@toolgate/core';
import type { CommandIndex } from './command-index.ts';
import { canonicalName } from './legacy-names.ts';
import type { PathPlaces } from './path-index.ts';
import { normalPowerShell } from './powershell-text.ts';
import { contentKind, governs } from './rule-syntax.ts';
import type { RuleTable } from './rule-table.ts';
import { collapseBlanks } from './shell-text.ts';

/** The parts of a call that rules are compared with. */
export type JudgedCall = Pick<StartedCall, 'tool' | 'input' | 'effects' | 'cwd'> &
  Partial<Pick<StartedCall, 'toolUse' | 'directories'>>;

/** A rule that binds. `open`: it could match something below an open unit's folder, or nothing. */
export interface Found {
  readonly entry: RuleEntry;
  readonly open?: true;
}

/** Every name a deny or ask may use for the called tool. */
export function boundNames(call: JudgedCall): readonly string[] {
  const { name, aliases, deprecatedAliases } = call.tool;
  const names = [
    name,
    ...aliases,
    ...deprecatedAliases,
    ...(call.toolUse ? [call.toolUse.name] : []),
  ];
  return [...new Set(names.flatMap((each) => [each, canonicalName(each)]))];
}

/** A deny or ask rule that binds the unit in any of its readings. */
export function findBinding(
  table: RuleTable,
  unit: PermissionUnit,
  call: JudgedCall,
  places: PathPlaces,
): Found | undefined {
  const names = unit.own ? [...new Set([unit.tool, ...boundNames(call)])] : [unit.tool];
  const whole = table.names.find(names);
  if (whole) return { entry: whole };
  if (unit.path === undefined && unit.content === undefined) {
    const guarded = findUnknown(table, unit, call);
    if (guarded) return { entry: guarded, open: true };
  }
  if (unit.path !== undefined)
    return findPath(table, unit, unit.tool === 'Read' ? 'Read' : 'Edit', places);
  for (const name of names) {
    const index = table.commands.get(name);
    const entry = index && findText(index, unit, name, call);
    if (entry) return { entry };
  }
  const domain =
    unit.content === undefined
      ? undefined
      : names.includes('WebFetch') && table.domains.find(unit.content);
  return domain ? { entry: domain } : undefined;
}

/** A rule that an action of unknown place might hit: a file tool without a path, a fetch without a host. */
function findUnknown(
  table: RuleTable,
  unit: PermissionUnit,
  call: JudgedCall,
): RuleEntry | undefined {
  const tool = unit.own ? call.tool.name : unit.tool;
  if (tool === 'WebFetch') return table.domains.first();
  const kind = (['Read', 'Edit'] as const).find((each) => governs(each, tool));
  return kind && table.paths[kind].first();
}

/** A Read deny also binds what would be edited, whatever edits it but NotebookEdit (protocol 3.6). */
export function findReadDeny(
  table: RuleTable,
  unit: PermissionUnit,
  call: JudgedCall,
  places: PathPlaces,
): Found | undefined {
  if (unit.tool !== 'Edit' || unit.path === undefined || call.tool.name === 'NotebookEdit')
    return undefined;
  const whole = table.names.find(['Read']);
  return whole ? { entry: whole } : findPath(table, unit, 'Read', places);
}

function findPath(
  table: RuleTable,
  unit: PermissionUnit,
  kind: 'Read' | 'Edit',
  places: PathPlaces,
): Found | undefined {
  const index = table.paths[kind];
  const paths = [...new Set([unit.path ?? '', unit.realPath ?? unit.path ?? ''])];
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

function findText(
  index: CommandIndex,
  unit: PermissionUnit,
  name: string,
  call: JudgedCall,
): RuleEntry | undefined {
  const kind = contentKind(name);
  const { command } = call.input;
  const raw =
    unit.exact ??
    unit.content ??
    (kind === 'command' && typeof command === 'string' ? command : undefined);
  if (raw === undefined) return undefined;
  for (const text of new Set([
    unit.content ?? raw,
    raw,
    collapseBlanks(raw),
    ...(unit.readings ?? []),
  ])) {
    const found = index.find(kind === 'powershell' ? normalPowerShell(text) : text);
    if (found) return found;
  }
  // A deny of a skill binds it with any arguments.
  if (kind === 'skill') return index.find(raw.split(/\s/, 1)[0] ?? '');
  if (kind !== 'command') return undefined;
  // Nobody took the text apart: what it runs behind operators, wrappers and in scripts is not known.
  const isOpaque =
    unit.unparsed || unit.content === undefined || (unit.allowBy === 'exact' && !unit.readings);
  return isOpaque ? index.findByWords(raw) : undefined;
}

/** An allow rule that covers the unit. Links: the path and what it links to must both be covered. */
export function findAllow(
  table: RuleTable,
  unit: PermissionUnit,
  call: JudgedCall,
  places: PathPlaces,
): RuleEntry | undefined {
  if (unit.allowBy === 'none') return undefined;
  const own = unit.own ? table.names.find([call.tool.name]) : undefined;
  if (own) return own;
  if (unit.own && !governs(unit.tool, call.tool.name)) return undefined;
  // A write to a place that is not known one by one needs somebody's yes.
  if (unit.tool === 'Edit' && unit.open) return undefined;
  const whole = table.names.find([unit.tool]);
  if (whole) return whole;
  if (unit.path !== undefined)
    return unit.allowBy === 'exact' ? undefined : findPathAllow(table, unit, places);
  const names = unit.own ? [...new Set([unit.tool, call.tool.name])] : [unit.tool];
  for (const name of names) {
    const index = table.commands.get(name);
    const found = index && findTextAllow(index, unit, name);
    if (found) return found;
  }
  return unit.tool === 'WebFetch' && unit.content !== undefined
    ? table.domains.find(unit.content)
    : undefined;
}

function findTextAllow(
  index: CommandIndex,
  unit: PermissionUnit,
  name: string,
): RuleEntry | undefined {
  const { content, exact } = unit;
  const isPowerShell = contentKind(name) === 'powershell';
  const spelled = (text: string) => (isPowerShell ? normalPowerShell(text) : text);
  for (const text of [exact, content]) {
    const found = text === undefined ? undefined : index.findWritten(spelled(text));
    if (found) return found;
  }
  if (content === undefined || unit.unparsed || unit.allowBy === 'exact') return undefined;
  return index.find(spelled(content));
}

function findPathAllow(
  table: RuleTable,
  unit: PermissionUnit,
  places: PathPlaces,
): RuleEntry | undefined {
  const index = table.paths[unit.tool === 'Read' ? 'Read' : 'Edit'];
  const { path = '', realPath = path } = unit;
  const find = (at: string) =>
    unit.open ? index.findAllBelow(at, places) : index.find(at, places);
  const found = find(path);
  return found && (realPath === path || find(realPath)) ? found : undefined;
}
