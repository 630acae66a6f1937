import type { Argument } from '../bash/expand.ts';

/**
 * A command's permitted options, one per word of `options`:
 * `-a` and `--all` stand alone; `-n:` takes a value; `-f@` takes the name of a file it reads;
 * `--color?` takes one only after `=`; `!` at the end: with it everything below an operand is read.
 */
export interface OptionRules {
  readonly options: string;
  /** No option of the command, listed or not, writes or runs anything: any operand may be unknown. */
  readonly safe?: boolean;
  /** `-5` is an option. */
  readonly number?: boolean;
  /** Short options are never joined, as for `xxd -ps`. */
  readonly apart?: boolean;
  /** A value that stands in a word of its own must not look like an option: programs differ on which need one. */
  readonly plainValues?: boolean;
  /** Options end at the first operand. */
  readonly leading?: boolean;
}

export interface ParsedOptions {
  readonly options: readonly { readonly name: string; readonly value?: Argument }[];
  readonly operands: readonly Argument[];
  /** Values of options that name files. */
  readonly files: readonly Argument[];
  readonly open: boolean;
}

interface Rule {
  readonly value: 'none' | 'needed' | 'joined';
  readonly file: boolean;
  readonly open: boolean;
}

const cache = new WeakMap<OptionRules, ReadonlyMap<string, Rule>>();

function rulesOf(rules: OptionRules): ReadonlyMap<string, Rule> {
  const known = cache.get(rules);
  if (known) return known;
  const map = new Map<string, Rule>();
  for (const word of rules.options.split(/\s+/).filter((one) => one !== '')) {
    const [, name = '', marks = ''] = /^(--?[^:@?!]+)([:@?!]*)$/.exec(word) ?? [];
    map.set(name, {
      value: /[:@]/.test(marks) ? 'needed' : marks.includes('?') ? 'joined' : 'none',
      file: marks.includes('@'),
      open: marks.includes('!'),
    });
  }
  cache.set(rules, map);
  return map;
}

/** Reads options by a positive list. A text answer says what is not understood. */
export function parseOptions(
  words: readonly Argument[],
  rules: OptionRules,
): ParsedOptions | string {
  const known = rulesOf(rules);
  const options: { name: string; value?: Argument }[] = [];
  const operands: Argument[] = [];
  const files: Argument[] = [];
  let open = false;
  let ended = false;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (!word) break;
    const text = word.kind === 'literal' ? (word.texts[0] ?? '') : undefined;
    if (!ended && text === '--') {
      ended = true;
      continue;
    }
    if (ended || text === '-' || (text !== undefined ? !text.startsWith('-') : word.anchored)) {
      operands.push(word);
      ended ||= rules.leading === true;
      continue;
    }
    if (text === undefined) {
      const given = namedValue(word, known);
      if (given) {
        options.push(given);
        if (known.get(given.name)?.file) files.push(given.value);
        continue;
      }
      // Its value is not known here: a file named like an option would be one.
      if (!rules.safe) return `${word.source} may become an option.`;
      operands.push(word);
      continue;
    }
    if (rules.number && /^-\d+$/.test(text)) {
      options.push({ name: '-#' });
      continue;
    }
    const found = readOption(text, known, rules.apart === true);
    if (typeof found === 'string') return found;
    for (const { name, value, rule } of found) {
      open ||= rule.open;
      let argument = value === undefined ? undefined : literalArgument(word, value);
      if (rule.value === 'needed' && argument === undefined) {
        at += 1;
        argument = words[at];
        if (!argument || argument.many) return `The value of ${name} is not known.`;
        if (rules.plainValues && !argument.anchored)
          return `The value of ${name} may be an option.`;
      }
      options.push({ name, ...(argument && { value: argument }) });
      if (rule.file && argument) files.push(argument);
    }
  }
  return { options, operands, files, open };
}

const literalArgument = (word: Argument, text: string): Argument => ({
  ...word,
  texts: [text],
  prefixes: [text],
  anchored: !text.startsWith('-'),
  emptied: text,
});

/** `--grep="$x"`: the option is known, its value is not. */
function namedValue(word: Argument, known: ReadonlyMap<string, Rule>) {
  const [prefix = ''] = word.prefixes;
  const name = /^(--[a-z][\w-]*)=/.exec(prefix)?.[1];
  const rule = name === undefined ? undefined : known.get(name);
  if (name === undefined || !rule || rule.value === 'none' || rule.open) return undefined;
  if (word.many || word.prefixes.length > 1 || word.kind !== 'dynamic') return undefined;
  const rest = prefix.slice(name.length + 1);
  return { name, value: { ...word, prefixes: [rest], anchored: false } };
}

type Found = { readonly name: string; readonly value: string | undefined; readonly rule: Rule };

function readOption(
  text: string,
  known: ReadonlyMap<string, Rule>,
  apart: boolean,
): readonly Found[] | string {
  if (text.startsWith('--') || apart) {
    const equals = text.startsWith('--') ? text.indexOf('=') : -1;
    const name = equals < 0 ? text : text.slice(0, equals);
    const rule = known.get(name);
    if (!rule) return `${name} is not an option known to be harmless.`;
    if (equals >= 0 && rule.value === 'none') return `${name} takes no value.`;
    return [{ name, value: equals < 0 ? undefined : text.slice(equals + 1), rule }];
  }
  const found: Found[] = [];
  for (let at = 1; at < text.length; at += 1) {
    const name = `-${text[at]}`;
    const rule = known.get(name);
    if (!rule) return `${name} is not an option known to be harmless.`;
    const rest = text.slice(at + 1);
    const takesRest = rule.value !== 'none' && rest !== '';
    found.push({ name, value: takesRest ? rest : undefined, rule });
    if (rule.value !== 'none') break;
  }
  return found;
}

/** True when one of the named options was given. */
export const has = (parsed: ParsedOptions, ...names: readonly string[]): boolean =>
  parsed.options.some((option) => names.includes(option.name));
