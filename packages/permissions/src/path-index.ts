import { resolve } from 'node:path';
import { isBelow, type RuleEntry } from '@toolgate/core';
import {
  matchesAllBelow,
  matchesPath,
  mayMatchBelow,
  type PathPattern,
  type PathSegment,
} from './path-pattern.ts';

interface Candidate {
  readonly segments: readonly PathSegment[];
  readonly entry: RuleEntry;
}

/** The patterns of one anchor: by literal head, by a name at any depth, and the rest one by one. */
interface Group {
  /** How many folders above the working directory it lies; undefined for a fixed folder. */
  readonly cwdUp: number | undefined;
  readonly folder: string;
  readonly all: Candidate[];
  readonly headLengths: number[];
  readonly byHead: Map<string, Candidate[]>;
  /** One candidate for each way a literal head begins: it could match below there. */
  readonly headsBelow: Map<string, Candidate>;
  readonly byName: Map<string, Candidate[]>;
  readonly rest: Candidate[];
}

/** The folders that the anchors stand for, and how links are followed in them. */
export interface PathPlaces {
  readonly home: string;
  /** Where rules without a folder of their own are anchored. */
  readonly start: string;
  /** The folders that `p` and `./p` are anchored at. */
  readonly cwds: readonly string[];
  readonly realPath: (path: string) => string;
}

type Test = (pattern: readonly PathSegment[], below: readonly string[]) => boolean;

/** A rule whose literal beginning is a link, seen from where it leads. */
interface Linked {
  readonly realHead: string;
  readonly head: readonly string[];
  readonly candidate: Candidate;
}

/** The Read or the Edit rules of one list. */
export class PathIndex {
  readonly #groups = new Map<string, Group>();
  readonly #wide: boolean;
  /** By anchor, then group; links are looked up once in the life of the rules. */
  readonly #linked = new Map<string, Map<Group, readonly Linked[]>>();

  /** @param wide  True for deny and ask: a rule that names a link also binds what it leads to, and one Unicode spelling of a name all others. */
  constructor(wide: boolean) {
    this.#wide = wide;
  }

  add({ anchor, up, segments }: PathPattern, entry: RuleEntry, home: string): void {
    const base = { root: '/', home, source: entry.root ?? '', cwd: '' }[anchor];
    const isCwd = anchor === 'cwd';
    // A `/p` rule without a folder is anchored at the start folder, which is known only with the call.
    const key = isCwd ? `.${up}` : `${base}\0${up}`;
    let group = this.#groups.get(key);
    if (!group) {
      const folder = isCwd || base === '' ? '' : resolve(base, ...parents(up));
      group = {
        cwdUp: isCwd ? up : undefined,
        folder,
        all: [],
        headLengths: [],
        byHead: new Map(),
        headsBelow: new Map(),
        byName: new Map(),
        rest: [],
      };
      this.#groups.set(key, group);
    }
    file(group, { segments, entry });
  }

  /** Any rule at all: what a call might hit whose paths are not known. */
  first(): RuleEntry | undefined {
    for (const group of this.#groups.values()) if (group.all[0]) return group.all[0].entry;
    return undefined;
  }

  /** A rule that matches the path. */
  find(path: string, places: PathPlaces): RuleEntry | undefined {
    return this.#search(path, places, matchesPath);
  }

  /** A rule that matches everything below the folder. */
  findAllBelow(folder: string, places: PathPlaces): RuleEntry | undefined {
    return this.#search(folder, places, matchesAllBelow);
  }

  /** A rule that spells this path out, without a wildcard. */
  findNamed(path: string, places: PathPlaces): RuleEntry | undefined {
    return this.#search(path, places, namesPath);
  }

  /** A rule that could match something below the folder. */
  findSomeBelow(given: string, places: PathPlaces): RuleEntry | undefined {
    const folder = this.#spelled(given);
    for (const group of this.#groups.values())
      for (const anchor of anchors(group, places).map((each) => this.#spelled(each))) {
        if (isBelow(anchor, folder) && group.all[0]) return group.all[0].entry;
        const below = segmentsBelow(folder, anchor);
        const found = below && findBelow(group, below);
        if (found) return found;
        for (const { realHead, head, candidate } of this.#linkedIn(group, anchor, places)) {
          const inside = segmentsBelow(folder, realHead);
          if (
            isBelow(realHead, folder) ||
            (inside && mayMatchBelow(candidate.segments, [...head, ...inside]))
          )
            return candidate.entry;
        }
      }
    return undefined;
  }

  #linkedIn(group: Group, anchor: string, places: PathPlaces): readonly Linked[] {
    if (!this.#wide) return [];
    let groups = this.#linked.get(anchor);
    if (!groups) this.#linked.set(anchor, (groups = new Map()));
    let found = groups.get(group);
    if (!found) groups.set(group, (found = linkedOf(group, anchor, places)));
    return found;
  }

  #spelled(path: string): string {
    return this.#wide ? path.normalize('NFC') : path;
  }

  #search(given: string, places: PathPlaces, test: Test): RuleEntry | undefined {
    const path = this.#spelled(given);
    for (const group of this.#groups.values())
      for (const anchor of anchors(group, places).map((each) => this.#spelled(each))) {
        const below = segmentsBelow(path, anchor);
        const found = below && findIn(group, below, test);
        if (found) return found;
        for (const { realHead, head, candidate } of this.#linkedIn(group, anchor, places)) {
          const inside = segmentsBelow(path, realHead);
          if (inside && test(candidate.segments, [...head, ...inside])) return candidate.entry;
        }
      }
    return undefined;
  }
}

/** Of the rules that begin with names, those whose names lead elsewhere. A name at any depth is looked for at the top alone. */
function linkedOf(group: Group, anchor: string, { realPath }: PathPlaces): readonly Linked[] {
  const base = realPath(anchor).normalize('NFC');
  return group.all.flatMap((candidate) => {
    const { segments } = candidate;
    const head: string[] = [];
    for (const segment of segments[0] === '**' ? segments.slice(1, 2) : segments) {
      const name = segment === '**' ? undefined : segment.name;
      if (name === undefined) break;
      head.push(name);
    }
    if (head.length === 0) return [];
    const realHead = realPath(resolve(anchor, ...head)).normalize('NFC');
    return realHead === resolve(base, ...head) ? [] : [{ realHead, head, candidate }];
  });
}

const parents = (up: number): readonly string[] => Array.from({ length: up }, () => '..');

/** The folders a group begins at, each also by its real path: a path may be spelled either way. */
function anchors({ cwdUp, folder }: Group, places: PathPlaces): readonly string[] {
  if (folder === '/') return ['/'];
  const spelled =
    cwdUp === undefined
      ? [folder || places.start]
      : places.cwds.map((cwd) => (cwdUp > 0 ? resolve(cwd, ...parents(cwdUp)) : cwd));
  return [...new Set([...spelled, ...spelled.map((anchor) => places.realPath(anchor))])];
}

/** The segments of a path under an anchor; undefined when it does not lie there. */
function segmentsBelow(path: string, anchor: string): readonly string[] | undefined {
  if (!isBelow(path, anchor)) return undefined;
  const rest = path.slice(anchor.length).replace(/^\//, '');
  return rest === '' ? [] : rest.split('/');
}

const literalOf = (segment: PathSegment | undefined) =>
  segment === '**' ? undefined : segment?.literal;

function file(group: Group, candidate: Candidate): void {
  const { segments } = candidate;
  group.all.push(candidate);
  const head: string[] = [];
  for (const segment of segments) {
    const literal = literalOf(segment);
    if (literal === undefined) break;
    head.push(literal);
  }
  const name = segments[0] === '**' ? literalOf(segments[1]) : undefined;
  if (head.length > 0) {
    if (!group.headLengths.includes(head.length)) group.headLengths.push(head.length);
    push(group.byHead, head.join('/'), candidate);
    for (let length = 0; length <= head.length; length += 1) {
      const start = head.slice(0, length).join('/');
      if (!group.headsBelow.has(start)) group.headsBelow.set(start, candidate);
    }
  } else if (name !== undefined) push(group.byName, name, candidate);
  else group.rest.push(candidate);
}

function push(map: Map<string, Candidate[]>, key: string, candidate: Candidate): void {
  const same = map.get(key);
  if (same) same.push(candidate);
  else map.set(key, [candidate]);
}

/** The candidates are those whose literal beginning is there; `test` decides. */
function findIn(group: Group, below: readonly string[], test: Test): RuleEntry | undefined {
  const first = (candidates: readonly Candidate[] | undefined) =>
    candidates?.find(({ segments }) => test(segments, below))?.entry;
  for (const length of group.headLengths) {
    const found =
      length <= below.length && first(group.byHead.get(below.slice(0, length).join('/')));
    if (found) return found;
  }
  for (const segment of below) {
    const found = first(group.byName.get(segment));
    if (found) return found;
  }
  return first(group.rest);
}

/** A candidate that could match something below the folder. */
function findBelow(group: Group, folder: readonly string[]): RuleEntry | undefined {
  const inside = group.headsBelow.get(folder.join('/'));
  if (inside) return inside.entry;
  // A pattern that begins with `**` could match anywhere.
  for (const [candidate] of group.byName.values()) return candidate?.entry;
  return findIn(group, folder, mayMatchBelow);
}

const namesPath: Test = (pattern, below) =>
  pattern.every((segment) => literalOf(segment) !== undefined) && matchesPath(pattern, below);
