import type { RuleEntry } from '@toolgate/core';
import type { CommandIndex } from './command-index.ts';
import type { Judged } from './judged.ts';
import { normalPowerShell } from './powershell-text.ts';
import { alsoJudgedAs, contentKind, governs } from './rule-syntax.ts';
import type { RuleTable } from './rule-table.ts';

/** An allow rule that covers the unit. */
export function findAllow(table: RuleTable, judged: Judged): RuleEntry | undefined {
  const { unit, call } = judged;
  if (unit.allowBy === 'none') return undefined;
  const own = unit.own ? table.names.find([call.tool.name]) : undefined;
  if (own) return own;
  if (unit.own && !governs(unit.tool, call.tool.name)) return undefined;
  // A write to a place that is not known one by one needs somebody's yes.
  if (unit.tool === 'Edit' && unit.open) return undefined;
  const whole = table.names.find([unit.tool]);
  if (whole) return whole;
  if (unit.path !== undefined) return findPath(table, judged);
  for (const name of [unit.tool, alsoJudgedAs(unit.tool) ?? unit.tool]) {
    const index = table.commands.get(name);
    const found = index && findText(index, name, judged);
    if (found) return found;
  }
  return unit.tool === 'WebFetch' && unit.content !== undefined
    ? table.domains.find(unit.content)
    : undefined;
}

/** A written rule covers the text in its strict form or as written; a pattern the strict form alone. */
function findText(index: CommandIndex, name: string, { unit }: Judged): RuleEntry | undefined {
  const { content, exact, unquoted } = unit;
  const isPowerShell = contentKind(name) === 'powershell';
  const spelled = (text: string) => (isPowerShell ? normalPowerShell(text) : text);
  for (const text of [exact, content, unquoted]) {
    const found = text === undefined ? undefined : index.findWritten(spelled(text));
    if (found) return found;
  }
  if (content === undefined || unit.unparsed || unit.allowBy === 'exact') return undefined;
  return (
    index.find(spelled(content)) ?? (unquoted === undefined ? undefined : index.find(unquoted))
  );
}

/** Links: the path and what it links to must both be covered. */
function findPath(table: RuleTable, { unit, places }: Judged): RuleEntry | undefined {
  if (unit.allowBy === 'exact') return undefined;
  const index = table.paths[unit.tool === 'Read' ? 'Read' : 'Edit'];
  const { path = '', realPath = path } = unit;
  const find = (at: string) =>
    unit.open
      ? (index.findAllBelow(at, places) ?? index.findNamed(at, places))
      : index.find(at, places);
  const found = find(path);
  return found && (realPath === path || find(realPath)) ? found : undefined;
}
