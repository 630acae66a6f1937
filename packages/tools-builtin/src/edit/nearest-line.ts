const maxLines = 20_000;
const maxChars = 200;
/** Most places that are named. */
const maxNear = 3;

/**
 * Sentences about the places most like the text that was looked for; empty when there are none. Where its
 * first line stands somewhere, the first line after that which differs is named.
 */
export function nearestLine(text: string, wanted: string): string {
  const wantedLines = wanted.split('\n');
  const start = wantedLines.findIndex((line) => line.trim() !== '');
  const first = wantedLines[start]?.trim();
  if (!first) return '';
  const lines = text.split('\n', maxLines);
  const same = lines.flatMap((line, index) => (line.trim() === first ? [index] : []));
  if (same.length > 0) return sameStart(lines, same, wantedLines.slice(start));
  const near = nearLines(lines, first);
  if (near.length === 0) return '';
  const [best, ...others] = near.map(
    ({ number, line }) => `line ${number}: ${JSON.stringify(line.slice(0, maxChars))}`,
  );
  return ` The nearest is ${best}.${others.length > 0 ? ` Also near: ${others.join('; ')}.` : ''}`;
}

/** Of the places with the same first line, the one where most lines follow alike. */
function sameStart(
  lines: readonly string[],
  places: readonly number[],
  wanted: readonly string[],
): string {
  const best = places
    .slice(0, 1_000)
    .map((at) => ({ at, alike: alikeFrom(lines, at, wanted) }))
    .reduce((a, b) => (b.alike > a.alike ? b : a));
  const number = best.at + 1;
  const more = places.length > 1 ? ` (and ${places.length - 1} more)` : '';
  if (best.alike >= wanted.length)
    return wanted.length === 1
      ? ` Line ${number}${more} differs in white space only.`
      : ` Lines ${number} to ${best.at + best.alike}${more} differ in white space only.`;
  const found = lines[best.at + best.alike] ?? '';
  const sought = wanted[best.alike] ?? '';
  return ` Its first line is like line ${number}${more}, but line ${number + best.alike} is ${quoted(found)}, not ${quoted(sought)}.`;
}

const quoted = (line: string): string => JSON.stringify(line.slice(0, maxChars));

/** How many lines from a place on are the same but for white space around them. */
function alikeFrom(lines: readonly string[], at: number, wanted: readonly string[]): number {
  let alike = 0;
  while (alike < wanted.length && isAlike(lines[at + alike], wanted[alike], alike, wanted.length))
    alike += 1;
  return alike;
}

/** The last line that was looked for may end in the middle of one. */
function isAlike(line: string | undefined, wanted = '', index = 0, count = 0): boolean {
  if (line === undefined) return wanted === '';
  const [a, b] = [line.trim(), wanted.trim()];
  return a === b || (index === count - 1 && a.startsWith(b));
}

interface NearLine {
  readonly score: number;
  readonly number: number;
  readonly line: string;
}

function nearLines(lines: readonly string[], first: string): readonly NearLine[] {
  const pairs = pairsOf(first);
  const near: NearLine[] = [];
  for (const [index, line] of lines.entries()) {
    const score = likeness(pairs, pairsOf(line.trim()));
    if (score <= Math.max(0.5, near[maxNear - 1]?.score ?? 0)) continue;
    near.push({ score, number: index + 1, line });
    near.sort((a, b) => b.score - a.score);
    near.length = Math.min(near.length, maxNear);
  }
  return near;
}

function pairsOf(text: string): ReadonlySet<string> {
  const short = text.slice(0, maxChars);
  const pairs = new Set<string>();
  for (let i = 0; i + 1 < short.length; i += 1) pairs.add(short.slice(i, i + 2));
  return pairs;
}

function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  let shared = 0;
  for (const pair of a) if (b.has(pair)) shared += 1;
  return (2 * shared) / (a.size + b.size);
}
