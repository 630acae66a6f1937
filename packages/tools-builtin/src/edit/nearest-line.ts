const maxLines = 20_000;
const maxChars = 200;

/** One sentence about the line most like the first line that was looked for; empty when none is. */
export function nearestLine(text: string, wanted: string): string {
  const first = wanted
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.trim();
  if (!first) return '';
  const pairs = pairsOf(first);
  let best = { score: 0.5, number: 0, line: '' };
  const lines = text.split('\n', maxLines);
  for (const [index, line] of lines.entries()) {
    const trimmed = line.trim();
    if (trimmed === first) return sameLine(index + 1, wanted);
    const score = likeness(pairs, pairsOf(trimmed));
    if (score > best.score) best = { score, number: index + 1, line };
  }
  return best.number === 0
    ? ''
    : ` The nearest is line ${best.number}: ${JSON.stringify(best.line.slice(0, maxChars))}.`;
}

const sameLine = (number: number, wanted: string): string =>
  wanted.includes('\n')
    ? ` Its first line is like line ${number}; look at white space and the lines after it.`
    : ` Line ${number} differs in white space only.`;

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
