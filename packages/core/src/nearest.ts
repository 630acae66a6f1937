import { ToolgateError, type ToolgateErrorCode } from './errors.ts';

/** Edit distance of two short names, capped by their length. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, change));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** The known names closest to a misspelled one, nearest first; none that differs in more than a third. */
export function nearest(name: string, known: readonly string[], limit = 3): readonly string[] {
  const lower = name.slice(0, 128).toLowerCase();
  return known
    .map((candidate) => ({ candidate, cost: distance(lower, candidate.toLowerCase()) }))
    .filter(({ candidate, cost }) => cost <= Math.max(2, Math.ceil(candidate.length / 3)))
    .sort((a, b) => a.cost - b.cost)
    .slice(0, limit)
    .map(({ candidate }) => candidate);
}

/** ` Did you mean "x"?`, or nothing. */
export const didYouMean = (name: string, known: readonly string[]): string => {
  const [best] = nearest(name, known, 1);
  return best === undefined ? '' : ` Did you mean "${best}"?`;
};

/** The first key that is not in a closed list, as one sentence; undefined when all are known. */
export function unknownKey(
  keys: readonly string[],
  known: readonly string[],
  where: string,
): string | undefined {
  const unknown = keys.find((key) => !known.includes(key));
  return unknown === undefined
    ? undefined
    : `${where} has the unknown key "${unknown}".${didYouMean(unknown, known)}`;
}

/** Refuses a definition with a key that is not in the closed list. */
export function checkKeys(
  value: object,
  known: readonly string[],
  where: string,
  code: ToolgateErrorCode,
): void {
  const problem = unknownKey(Object.keys(value), known, where);
  if (problem) throw new ToolgateError(code, problem);
}
