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

/** The Read or the Edit rules of one list. */
export class PathIndex {
  readonly #groups = new Map<string, Group>();

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
  findSomeBelow(folder: string, places: PathPlaces): RuleEntry | undefined {
    for (const group of this.#groups.values())
      for (const anchor of anchors(group, places)) {
        if (isBelow(anchor, folder) && group.all[0]) return group.all[0].entry;
        const below = segmentsBelow(folder, anchor);
        const found = below && group.all.find(({ segments }) => mayMatchBelow(segments, below));
        if (found) return found.entry;
      }
    return undefined;
  }

  #search(path: string, places: PathPlaces, test: Test): RuleEntry | undefined {
    for (const group of this.#groups.values())
      for (const anchor of anchors(group, places)) {
        const below = segmentsBelow(path, anchor);
        const found = below && findIn(group, below, test);
        if (found) return found;
      }
    return undefined;
  }
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

const namesPath: Test = (pattern, below) =>
  pattern.every((segment) => literalOf(segment) !== undefined) && matchesPath(pattern, below);
