import type { PathFacts, StartedCall } from '@toolgate/core';
import { addRule } from './compile-rules.ts';
import { dangerousAllow } from './dangerous-allow.ts';
import { findAllow } from './find-allow.ts';
import { boundNames, placesOf } from './judged.ts';
import { parseRule } from './parse-rule.ts';
import { createTable } from './rule-table.ts';

/**
 * Why an allow rule may not be kept after a call was allowed (known faults 12 and 27), in one clause; undefined when
 * it may: it is one line that can be read back, allows some part of this very call, and is not dangerous.
 */
export function whyNotKept(
  text: string,
  call: StartedCall,
  facts: Pick<PathFacts, 'home' | 'realPath'>,
): string | undefined {
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)) return 'is more than one line';
  const parsed = parseRule(text);
  if (!parsed.ok) return `cannot be read: ${parsed.problem}`;
  const danger = dangerousAllow(parsed.rule);
  if (danger !== undefined) return danger;
  const table = createTable('narrow');
  let problem: string | undefined;
  const root = call.directories[0] ?? call.cwd;
  const entry = { behavior: 'allow', text, source: 'session', root } as const;
  addRule(table, entry, facts.home, (_code, message, severity = 'warning') => {
    if (severity !== 'info') problem ??= message;
  });
  const names = boundNames(call);
  const { narrow: places } = placesOf(call, facts);
  const isUsed = call.effects.units.some((unit) => findAllow(table, { unit, call, names, places }));
  if (isUsed) return undefined;
  return problem === undefined ? 'does not allow this call' : `would not count: ${problem}`;
}
