import type { RuleEntry } from '@toolgate/core';
import { canonicalName } from '../legacy-names.ts';
import type { ParsedRule } from '../parse-rule.ts';
import { contentKind } from '../rule-syntax.ts';
import { compileGlob, compileStars, matchesStars, type StarPattern } from '../star-pattern.ts';

/** A rule that says all that another says, and whether nothing changes when the other goes. */
export interface Cover {
  readonly entry: RuleEntry;
  /** False where an exact text may allow what a pattern does not, such as a wrapper with its command. */
  readonly isCertain: boolean;
}

/** What a rule says, the same for each of its spellings: `Bash(npm:*)` and `Bash(npm *)`. */
export function meaningOf({ tool, content }: ParsedRule): string {
  if (content === undefined) return tool;
  if (!isCommand(tool)) return `${tool}(${content})`;
  const { pieces, boundary } = compileStars(content, false);
  return `${tool}(${JSON.stringify([pieces, boundary])})`;
}

const isCommand = (tool: string) => contentKind(tool) === 'command';

/** What content matches, told by how it begins. */
interface Reach {
  /** Text that all that is matched begins with. */
  readonly head: string;
  /** `exact`: the head alone; `words`: a blank or the end follows; `text`: anything; `part`: some of that. */
  readonly tail: 'exact' | 'words' | 'text' | 'part';
}

/** How far content reaches; undefined where that cannot be told by its beginning. */
function reachOf({ tool, content }: ParsedRule): Reach | undefined {
  if (content === undefined) return undefined;
  const kind = contentKind(tool);
  if (kind === 'command') return commandReach(content);
  if (kind === 'path') return pathReach(content);
  return { head: content, tail: 'part' };
}

function commandReach(content: string): Reach {
  const { pieces, boundary } = compileStars(content, false);
  const [head = '', ...rest] = pieces;
  if (rest.length === 0) return { head, tail: boundary ? 'words' : 'exact' };
  return { head, tail: rest.length === 1 && rest[0] === '' && head !== '' ? 'text' : 'part' };
}

/** A folder with all below it, without wildcards before; other paths reach no further than they say. */
function pathReach(content: string): Reach | undefined {
  if (content.split('/').includes('..') || content.includes('\\')) return undefined;
  const folder = /^([^*?[\]{}!]+\/)\*\*$/.exec(content)?.[1];
  // `/**` would begin `//…` too, which is anchored elsewhere.
  if (folder !== undefined && folder !== '/') return { head: folder, tail: 'text' };
  return { head: content.split(/[*?[]/, 1)[0] ?? '', tail: 'part' };
}

/** Finds the rules of one list that cover a given one. A look-up does not slow down with the number of rules. */
export class CoverIndex {
  readonly #bare = new Map<string, RuleEntry>();
  readonly #globs: { readonly glob: StarPattern; readonly entry: RuleEntry }[] = [];
  readonly #open = new Map<string, RuleEntry>();
  /** The lengths of the heads of each tool. */
  readonly #lengths = new Map<string, Set<number>>();
  readonly #written = new Map<string, RuleEntry>();

  add(rule: ParsedRule, entry: RuleEntry): void {
    const tool = canonicalName(rule.tool);
    keepFirst(this.#written, meaningOf({ ...rule, tool }), entry);
    if (rule.content === undefined) {
      if (tool.includes('*')) this.#globs.push({ glob: compileGlob(tool), entry });
      else keepFirst(this.#bare, tool, entry);
      return;
    }
    const reach = reachOf(rule);
    if (reach?.tail !== 'words' && reach?.tail !== 'text') return;
    keepFirst(this.#open, keyOf(tool, reach), entry);
    const lengths = this.#lengths.get(tool);
    if (lengths) lengths.add(reach.head.length);
    else this.#lengths.set(tool, new Set([reach.head.length]));
  }

  /** A rule that says the same, in whatever spelling. */
  findSame(rule: ParsedRule): RuleEntry | undefined {
    return this.#written.get(meaningOf({ ...rule, tool: canonicalName(rule.tool) }));
  }

  /** A rule that says the same and more. */
  findWider(rule: ParsedRule): Cover | undefined {
    const tool = canonicalName(rule.tool);
    const whole = this.#findTool(tool, rule.content === undefined);
    if (whole) return { entry: whole, isCertain: false };
    const reach = reachOf(rule);
    if (!reach) return undefined;
    for (const length of this.#lengths.get(tool) ?? []) {
      const found = this.#findOpen(tool, reach, length);
      if (found)
        return { entry: found, isCertain: reach.tail === 'words' || reach.tail === 'text' };
    }
    return undefined;
  }

  #findOpen(tool: string, { head, tail }: Reach, length: number): RuleEntry | undefined {
    if (length > head.length) return undefined;
    const start = head.slice(0, length);
    const isWhole = length === head.length;
    const words = isWhole ? tail === 'exact' : head[length] === ' ';
    const text = !isWhole || tail !== 'text';
    return (
      (text ? this.#open.get(keyOf(tool, { head: start, tail: 'text' })) : undefined) ??
      (words ? this.#open.get(keyOf(tool, { head: start, tail: 'words' })) : undefined)
    );
  }

  #findTool(tool: string, isBare: boolean): RuleEntry | undefined {
    const server = /^mcp__(?:(?!__).)+(?=__)/.exec(tool)?.[0];
    return (
      (isBare ? undefined : this.#bare.get(tool)) ??
      (server === undefined ? undefined : this.#bare.get(server)) ??
      (tool.includes('*')
        ? undefined
        : this.#globs.find(({ glob }) => matchesStars(glob, tool))?.entry)
    );
  }
}

const keyOf = (tool: string, { head, tail }: Reach): string => `${tool}\n${tail}\n${head}`;

function keepFirst<K, V>(map: Map<K, V>, key: K, value: V): void {
  if (!map.has(key)) map.set(key, value);
}
