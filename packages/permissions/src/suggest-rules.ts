import type { PathFacts, PermissionUnit, StartedCall } from '@toolgate/core';
import { addRule } from './compile-rules.ts';
import { dangerousAllow } from './dangerous-allow.ts';
import { findAllow } from './find-allow.ts';
import { boundNames, placesOf } from './judged.ts';
import { parseRule } from './parse-rule.ts';
import { createTable } from './rule-table.ts';

/** The most rules offered at once (protocol 3.8). */
const most = 5;

/**
 * Rules that would allow the given units of a call and little else: the tool's own suggestions as far as they cover
 * one of the units, then a rule for each unit that is left: its file, host, server tool, agent or skill. Each
 * covers what it is for, can be read back, and is not dangerous.
 */
export function suggestRules(
  call: StartedCall,
  units: readonly PermissionUnit[],
  facts: Pick<PathFacts, 'home' | 'realPath'>,
): readonly string[] {
  const covers = coverage(call, facts);
  const kept: string[] = [];
  const left = new Set(units);
  const keep = (rule: string | undefined, among: Iterable<PermissionUnit>): void => {
    if (rule === undefined || kept.includes(rule)) return;
    const covered = covers(rule, [...among]);
    if (covered.length === 0) return;
    kept.push(rule);
    for (const unit of covered) left.delete(unit);
  };
  for (const rule of call.effects.suggestedRules) keep(rule, units);
  for (const unit of units) if (left.has(unit)) keep(ruleFor(unit, call), [unit]);
  return kept.slice(0, most);
}

/** The units that an allow rule covers; none for a rule that may not be kept. */
function coverage(call: StartedCall, facts: Pick<PathFacts, 'home' | 'realPath'>) {
  const names = boundNames(call);
  const { narrow: places } = placesOf(call, facts);
  const root = call.directories[0] ?? call.cwd;
  return (text: string, units: readonly PermissionUnit[]): readonly PermissionUnit[] => {
    const parsed = parseRule(text);
    if (!parsed.ok || /\p{Cc}/u.test(text) || dangerousAllow(parsed.rule) !== undefined) return [];
    const table = createTable('narrow');
    const entry = { behavior: 'allow', text, source: 'session', root } as const;
    addRule(table, entry, facts.home, () => undefined);
    return units.filter((unit) => findAllow(table, { unit, call, names, places }) !== undefined);
  };
}

function ruleFor(unit: PermissionUnit, { tool }: StartedCall): string | undefined {
  if (unit.path !== undefined)
    return unit.open
      ? `${unit.tool}(/${escaped(unit.path)}/**)`
      : `${unit.tool}(/${escaped(unit.path)})`;
  if (unit.content !== undefined) return `${unit.tool}(${unit.content})`;
  return unit.own ? tool.name : undefined;
}

/** A path as a pattern that means itself. */
const escaped = (path: string): string => path.replace(/[\\*?[\]]/g, String.raw`\$&`);
