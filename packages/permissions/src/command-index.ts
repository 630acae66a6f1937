import type { RuleEntry } from '@toolgate/core';
import { rawWords, collapseBlanks, withoutQuotes } from './shell-text.ts';
import {
  compileGlob,
  compileStars,
  isExact,
  matchesStars,
  type StarPattern,
} from './star-pattern.ts';

interface Candidate {
  readonly pattern: StarPattern;
  readonly entry: RuleEntry;
}

/** Patterns by the literal text they begin with; one look-up per distinct length. */
interface Heads {
  readonly lengths: number[];
  readonly byHead: Map<string, Candidate[]>;
}

const firstWord = (text: string) => /^[^ \t\n\r]*/.exec(text)?.[0] ?? '';

/**
 * Content rules of one tool, indexed so that a look-up does not slow down with their number: exact texts
 * in a map, patterns by first word and literal head. Only patterns that begin with a star are tried one by one.
 */
export class CommandIndex {
  readonly #wide: boolean;
  readonly #exact = new Map<string, RuleEntry>();
  readonly #written = new Map<string, RuleEntry>();
  readonly #heads = new Map<string, Heads>();
  readonly #leadingStar: Candidate[] = [];
  readonly #words: { readonly words: readonly StarPattern[]; readonly entry: RuleEntry }[] = [];

  /** @param wide  True for deny and ask rules, which match every reading. */
  constructor(wide: boolean) {
    this.#wide = wide;
  }

  add(content: string, entry: RuleEntry): void {
    const spellings = new Set([content, collapseBlanks(content)]);
    for (const spelling of spellings) keepFirst(this.#written, spelling, entry);
    // Readings hold word values, so a rule that was written with quotes is tried without them too.
    if (this.#wide)
      for (const spelling of [content, collapseBlanks(content)])
        spellings.add(withoutQuotes(spelling));
    for (const spelling of spellings) this.#addPattern(compileStars(spelling, this.#wide), entry);
    if (!this.#wide) return;
    const words = withoutQuotes(content.replace(/:\*$/, '')).split(/\s+/);
    this.#words.push({
      words: words.filter((word) => !/^\**$/.test(word)).map(compileGlob),
      entry,
    });
  }

  #addPattern(pattern: StarPattern, entry: RuleEntry): void {
    const head = pattern.pieces[0] ?? '';
    if (isExact(pattern)) return keepFirst(this.#exact, head, entry);
    if (head === '') return void this.#leadingStar.push({ pattern, entry });
    const word = firstWord(head);
    const complete = word.length < head.length || (pattern.pieces.length === 1 && pattern.boundary);
    const key = complete ? word : '';
    let heads = this.#heads.get(key);
    if (!heads) this.#heads.set(key, (heads = { lengths: [], byHead: new Map() }));
    if (!heads.lengths.includes(head.length)) heads.lengths.push(head.length);
    const same = heads.byHead.get(head);
    if (same) same.push({ pattern, entry });
    else heads.byHead.set(head, [{ pattern, entry }]);
  }

  /** A rule that matches the text as an exact text or as a pattern. */
  find(text: string): RuleEntry | undefined {
    return (
      this.#exact.get(text) ??
      findByHead(this.#heads.get(firstWord(text)), text) ??
      findByHead(this.#heads.get(''), text) ??
      this.#leadingStar.find(({ pattern }) => matchesStars(pattern, text))?.entry
    );
  }

  /** A rule whose content is the text, character for character but for runs of blanks; stars are stars. */
  findWritten(text: string): RuleEntry | undefined {
    return this.#written.get(text) ?? this.#written.get(collapseBlanks(text));
  }

  /** A rule all of whose words occur in a text that did not parse. Deny and ask only. */
  findByWords(text: string): RuleEntry | undefined {
    if (this.#words.length === 0) return undefined;
    const found = rawWords(text);
    const occurs = (word: StarPattern) =>
      isExact(word)
        ? found.has(word.pieces[0] ?? '')
        : [...found].some((candidate) => matchesStars(word, candidate));
    return this.#words.find(({ words }) => words.every(occurs))?.entry;
  }
}

function findByHead(heads: Heads | undefined, text: string): RuleEntry | undefined {
  if (!heads) return undefined;
  for (const length of heads.lengths) {
    if (length > text.length) continue;
    const found = heads.byHead
      .get(text.slice(0, length))
      ?.find(({ pattern }) => matchesStars(pattern, text));
    if (found) return found.entry;
  }
  return undefined;
}

function keepFirst<K, V>(map: Map<K, V>, key: K, value: V): void {
  if (!map.has(key)) map.set(key, value);
}
