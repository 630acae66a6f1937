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

const firstWord = (text: string) => /^[^ \t\n\r]*/.exec(text)?.[0] ?? '';

/**
 * Content rules of one tool, indexed so that a look-up does not slow down with their number: exact texts
 * in a map, patterns by first word and literal head. Only patterns that begin with a star are tried one by one.
 */
export class CommandIndex {
  readonly #wide: boolean;
  readonly #exact = new Map<string, RuleEntry>();
  readonly #written = new Map<string, RuleEntry>();
  readonly #byHead = new Map<string, Candidate[]>();
  /** The lengths of heads by their first word; under '' those whose first word is not complete. */
  readonly #headLengths = new Map<string, number[]>();
  readonly #leadingStar: Candidate[] = [];
  /** Made of what was written when the first text comes that does not parse. */
  #words: readonly WordRule[] | undefined;

  /** @param wide  True for deny and ask rules, which match every reading. */
  constructor(wide: boolean) {
    this.#wide = wide;
  }

  /** Some rule that was added; undefined when there is none. */
  get some(): RuleEntry | undefined {
    return this.#written.values().next().value;
  }

  add(content: string, entry: RuleEntry): void {
    const spellings = new Set([content, collapseBlanks(content)]);
    for (const spelling of spellings) keepFirst(this.#written, spelling, entry);
    // Readings hold word values, so a rule that was written with quotes is tried without them too.
    if (this.#wide)
      for (const spelling of [content, collapseBlanks(content)])
        spellings.add(withoutQuotes(spelling));
    for (const spelling of spellings) this.#addPattern(compileStars(spelling, this.#wide), entry);
    this.#words = undefined;
  }

  #addPattern(pattern: StarPattern, entry: RuleEntry): void {
    const head = pattern.pieces[0] ?? '';
    if (isExact(pattern)) return keepFirst(this.#exact, head, entry);
    if (head === '') return void this.#leadingStar.push({ pattern, entry });
    const word = firstWord(head);
    const complete = word.length < head.length || (pattern.pieces.length === 1 && pattern.boundary);
    const key = complete ? word : '';
    const lengths = this.#headLengths.get(key);
    if (!lengths) this.#headLengths.set(key, [head.length]);
    else if (!lengths.includes(head.length)) lengths.push(head.length);
    const same = this.#byHead.get(head);
    if (same) same.push({ pattern, entry });
    else this.#byHead.set(head, [{ pattern, entry }]);
  }

  /** A rule that matches the text as an exact text or as a pattern. */
  find(text: string): RuleEntry | undefined {
    return (
      this.#exact.get(text) ??
      this.#findByHead(firstWord(text), text) ??
      this.#findByHead('', text) ??
      this.#leadingStar.find(({ pattern }) => matchesStars(pattern, text))?.entry
    );
  }

  #findByHead(word: string, text: string): RuleEntry | undefined {
    for (const length of this.#headLengths.get(word) ?? []) {
      if (length > text.length) continue;
      const found = this.#byHead
        .get(text.slice(0, length))
        ?.find(({ pattern }) => matchesStars(pattern, text));
      if (found) return found.entry;
    }
    return undefined;
  }

  /** A rule whose content is the text, character for character but for runs of blanks; stars are stars. */
  findWritten(text: string): RuleEntry | undefined {
    return this.#written.get(text) ?? this.#written.get(collapseBlanks(text));
  }

  /** A rule all of whose words occur in a text that did not parse. Deny and ask only. */
  findByWords(text: string): RuleEntry | undefined {
    this.#words ??= [...this.#written].map(([content, entry]) => wordRule(content, entry));
    if (this.#words.length === 0) return undefined;
    const found = rawWords(text);
    const occurs = (word: StarPattern) =>
      isExact(word)
        ? found.has(word.pieces[0] ?? '')
        : [...found].some((candidate) => matchesStars(word, candidate));
    return this.#words.find(({ words }) => words.every(occurs))?.entry;
  }
}

interface WordRule {
  readonly words: readonly StarPattern[];
  readonly entry: RuleEntry;
}

function wordRule(content: string, entry: RuleEntry): WordRule {
  const words = withoutQuotes(content.replace(/:\*$/, '')).split(/\s+/);
  return { words: words.filter((word) => !/^\**$/.test(word)).map(compileGlob), entry };
}

function keepFirst<K, V>(map: Map<K, V>, key: K, value: V): void {
  if (!map.has(key)) map.set(key, value);
}
