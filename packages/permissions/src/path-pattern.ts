import { compileSegment, type SegmentGlob } from './segment-glob.ts';

/** Where a path rule begins: `//p` at the root, `~/p` at home, `/p` at its source's folder, else at the working directory. */
export type Anchor = 'root' | 'home' | 'source' | 'cwd';

/**
 * How a rule is read. `wide` (deny, ask): what lies below a match matches too, and `dir/**`, `*.x` and
 * `./x` hold at any depth. `narrow` (allow): only what the pattern spells out. `condition`: a hook's `if`.
 */
export type Reading = 'wide' | 'narrow' | 'condition';

/** `**` is any number of segments, none included. */
export type PathSegment = SegmentGlob | '**';

export interface PathPattern {
  readonly anchor: Anchor;
  /** How many folders above the anchor it begins, for `../p`. */
  readonly up: number;
  readonly segments: readonly PathSegment[];
}

const anySegment: SegmentGlob = { matches: () => true };

/** Compiles the content of a Read or Edit rule (gitignore syntax, protocol 3.6); a string is what is wrong with it. */
export function compilePath(
  written: string,
  reading: Reading,
  ignoreCase: boolean,
): PathPattern | string {
  const content = reading === 'narrow' ? written : written.normalize('NFC');
  if (content.startsWith('!'))
    return 'Negated path patterns ("!…") are not supported. Write the rule for the opposite list.';
  const { anchor, rest } = splitAnchor(content);
  const parts: string[] = [];
  let up = 0;
  for (const part of rest.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) up++;
  }
  if (up > 0 && reading === 'narrow')
    return 'A path pattern never matches above the folder it is anchored at. Write //path or ~/path.';
  if (rest.endsWith('/') && parts.at(-1) !== '**') parts.push('**');
  const compiled = parts.map((part): PathSegment =>
    part === '**' ? '**' : compileSegment(part.replace(/\*{2,}/g, '*'), ignoreCase),
  );
  const before: PathSegment[] = isFloating(anchor, parts, rest, reading) && up === 0 ? ['**'] : [];
  return { anchor, up, segments: [...before, ...ending(compiled, reading)] };
}

function splitAnchor(content: string): { anchor: Anchor; rest: string } {
  if (content.startsWith('//')) return { anchor: 'root', rest: content.slice(2) };
  if (content === '~' || content.startsWith('~/'))
    return { anchor: 'home', rest: content.slice(1) };
  if (content.startsWith('/')) return { anchor: 'source', rest: content.slice(1) };
  return { anchor: 'cwd', rest: content };
}

/** True when the pattern holds at any depth below its anchor without saying so by `**`. */
function isFloating(anchor: Anchor, parts: readonly string[], rest: string, reading: Reading) {
  if (anchor !== 'cwd') return false;
  const folder = parts.length === 2 && parts[1] === '**';
  if (folder) return reading === 'wide';
  if (parts.length !== 1) return false;
  // As an allow, `*.x` and `./x` are documented both ways; the narrower one holds.
  return reading !== 'narrow' || !(/[*?[]/.test(parts[0] ?? '') || rest.startsWith('./'));
}

/** A final `**` means what is below, for an allow not the folder itself; a wide match reaches below in any case. */
function ending(segments: readonly PathSegment[], reading: Reading): readonly PathSegment[] {
  const open = segments.at(-1) === '**';
  if (reading === 'narrow') return open ? [...segments.slice(0, -1), anySegment, '**'] : segments;
  return open ? segments : [...segments, '**'];
}

/** Tests a path below the anchor, as segments. Goes back to the last `**` only. */
export function matchesPath(pattern: readonly PathSegment[], segments: readonly string[]): boolean {
  let part = 0;
  let star = -1;
  let resume = 0;
  for (let at = 0; at < segments.length;) {
    const current = pattern[part];
    if (current === '**') {
      star = part++;
      resume = at;
    } else if (current?.matches(segments[at] ?? '')) {
      part++;
      at++;
    } else if (star !== -1) {
      part = star + 1;
      at = ++resume;
    } else return false;
  }
  while (pattern[part] === '**') part++;
  return part === pattern.length;
}

/** True when something below `folder` could match; errs towards true. */
export function mayMatchBelow(pattern: readonly PathSegment[], folder: readonly string[]): boolean {
  for (const [at, segment] of folder.entries()) {
    const part = pattern[at];
    if (part === '**') return true;
    if (!part?.matches(segment)) return false;
  }
  return pattern.length > folder.length || matchesPath(pattern, folder);
}

/** True when everything below `folder` matches; errs towards false. */
export function matchesAllBelow(
  pattern: readonly PathSegment[],
  folder: readonly string[],
): boolean {
  if (pattern.at(-1) !== '**') return false;
  const end = pattern.at(-2) === anySegment ? -2 : -1;
  const stem = pattern.slice(0, end);
  return folder.concat('').some((_, length) => matchesPath(stem, folder.slice(0, length)));
}
