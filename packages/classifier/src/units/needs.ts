import type { EffectsFacts } from '@toolgate/core';
import type { AnalysedCommand } from '../analyse.ts';
import { literal } from '../read-only/verdict.ts';

/** True when every check that a command's being read-only rests on is known to hold. */
export function commandHolds({ visit, verdict }: AnalysedCommand, facts: EffectsFacts): boolean {
  if (!visit || verdict.answer !== 'read-only') return verdict.answer === 'read-only';
  if (!visit.moves.every((path) => facts.isInside(path))) return false;
  if (verdict.needs.length === 0) return true;
  const { folders } = visit.state;
  // git in a folder that the text itself went to may meet a configuration nobody looked at.
  if (!folders?.every((folder) => folder === facts.cwd)) return false;
  return verdict.needs.every(({ name, folder }) => {
    const path = folder ? facts.resolve(literalPath(literal(folder) ?? '/')) : facts.cwd;
    return facts.isInside(path) && facts.holds(name, path);
  });
}

/** A path as the shell hands it over: a `~` in it was quoted. */
export const literalPath = (path: string): string => (path.startsWith('~') ? `./${path}` : path);
