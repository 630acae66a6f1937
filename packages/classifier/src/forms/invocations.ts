import type { Argument } from '../bash/expand.ts';
import { plainArgument } from '../bash/plain-argument.ts';
import { parseBash } from '../bash/parse.ts';
import type { ShellState } from '../bash/state.ts';
import { walk } from '../bash/walk.ts';
import type { Input, VisitedRedirect } from '../bash/walked.ts';
import { parseOptions } from '../read-only/options.ts';
import { literal } from '../read-only/verdict.ts';
import { feedOf, type Feed } from './feeds.ts';
import { behindRunner } from './hidden-scripts.ts';
import { scriptsOf, scriptText } from './scripts.ts';
import { shells, wrappers } from './wrappers.ts';

/** One command that runs, or may run, when a command of the text does: itself, or one it holds. */
export interface Invocation {
  readonly words: readonly Argument[];
  readonly state: ShellState;
  readonly input: Input;
  /** What it gets beside its words. */
  readonly feed?: Feed;
}

export interface Invocations {
  readonly all: readonly Invocation[];
  /** Redirects in the scripts among them. */
  readonly redirects: readonly VisitedRedirect[];
  /** False when the text holds more forms, or deeper ones, than were read: then somebody must look. */
  readonly complete: boolean;
  /** Something runs that the text does not name: a computed name, a script from elsewhere. */
  readonly hidden: boolean;
}

const deepest = 3;
/** Characters of all forms together; a command of everyday needs a few hundred. */
const mostCharacters = 2_000_000;
/** Words that `xargs` is seen to add. */
const mostFilled = 200;

/**
 * Every form of a command that deny and ask rules, warnings and floors must read: as it is, by its base
 * name, behind wrappers, without git's global options, and in constant scripts, three levels deep.
 */
export function invocationsOf(
  words: readonly Argument[],
  state: ShellState,
  input: Input,
  home: string,
  assigned: readonly string[] = [],
): Invocations {
  const all: Invocation[] = [];
  const redirects: VisitedRedirect[] = [];
  const seen = new Set<string>();
  let characters = 0;
  let complete = true;
  let hidden = false;

  const add = (next: Invocation, depth: number, guessed: boolean): void => {
    const [first, ...rest] = next.words;
    if (!first) return;
    if (characters > mostCharacters) {
      complete = false;
      return;
    }
    if (first.kind === 'set') {
      for (const text of first.texts)
        add({ ...next, words: [withText(first, text), ...rest] }, depth, guessed);
      return;
    }
    // Wrappers reach the same words in many ways.
    const key = keyOf(next, depth);
    characters += key.length;
    if (seen.has(key)) return;
    seen.add(key);
    all.push(next);
    const written = literal(first);
    if (written === undefined) {
      hidden = true;
      // `${u:-rm}`
      if (first.emptied !== '')
        add({ ...next, words: [withText(first, first.emptied), ...rest] }, depth, guessed);
      return;
    }
    if (written === '{}' && next.feed) hidden = true;
    const name = written.slice(written.lastIndexOf('/') + 1);
    if (name !== written && name !== '') {
      add({ ...next, words: [withText(first, name), ...rest] }, depth, guessed);
      return;
    }
    const inner = innerCommands(name, rest);
    const given = feedOf(name, rest, next.input) ?? next.feed;
    const feed = given && { feed: given };
    // Where any word could begin the command, all of them were tried from the first on.
    if (!(guessed && inner.guessed))
      for (const command of inner.commands)
        add({ ...next, ...feed, words: command }, depth, guessed || inner.guessed);
    for (const command of behindRunner(name, rest))
      add({ ...next, words: command }, depth, guessed);
    if (inner.filled) for (const command of inner.commands) fill(next, command, given, depth);
    // What is filled in becomes the command, or a part of the script.
    if (inner.bare && next.feed && !next.feed.targets) hidden = true;
    const known = scriptsOf(name, rest, next.input);
    if (known?.length === 0) hidden = true;
    const scripts = [...(known ?? []), ...wrapperScripts(name, rest)];
    if (next.feed && scripts.some((script) => script.includes('{}'))) hidden = true;
    if (depth < deepest) for (const script of scripts) addScript(script, next, depth + 1, name);
    else if (scripts.length > 0) complete = false;
  };
  /** A command with what `xargs` adds to it. */
  const fill = (
    next: Invocation,
    command: readonly Argument[],
    given: Feed | undefined,
    depth: number,
  ): void => {
    const targets = given?.targets?.slice(0, mostFilled);
    if ((given?.targets?.length ?? 0) > mostFilled) complete = false;
    if (!targets) {
      const [name] = command;
      if (name && shells.has(literal(name) ?? '') && command.length <= 2) hidden = true;
      return;
    }
    const places = command.filter((word) => literal(word) === '{}').length;
    const words = command.flatMap((word) => (literal(word) === '{}' ? targets : [word]));
    add({ ...next, words: places > 0 ? words : [...words, ...targets] }, depth, false);
  };
  const addScript = (script: string, from: Invocation, depth: number, shell: string): void => {
    const { state: at, feed } = from;
    const parsed = parseBash(script);
    characters += script.length;
    if (parsed.problems.some(({ code }) => code === 'too-long')) complete = false;
    const options = { cwd: at.folders?.[0] ?? '/', home, isEnvironmentName: () => false };
    const walked = walk(parsed.script, options);
    // Another machine has files of its own.
    for (const one of shell === 'ssh' ? [] : walked.redirects)
      redirects.push({
        ...one,
        state: { ...one.state, folders: at.folders ? one.state.folders : undefined },
      });
    for (const visit of walked.visits) {
      const folders = at.folders ? visit.state.folders : undefined;
      const { arguments: inner, input } = visit;
      const next = { words: inner, state: { ...visit.state, folders }, input };
      add({ ...next, ...(feed && { feed }) }, depth, false);
    }
  };

  add({ words, state, input }, 0, false);
  for (const script of assigned) addScript(script, { words, state, input }, 1, '');
  return { all, redirects, complete, hidden };
}

const keyOf = ({ words, state }: Invocation, depth: number): string =>
  [
    depth,
    state.folders?.join(':') ?? '?',
    ...words.flatMap((word) => [word.source, ...word.texts]),
  ].join('\0');

const withText = (word: Argument, text: string): Argument => ({
  ...word,
  kind: 'literal',
  texts: [text],
  prefixes: [text],
  source: text,
  emptied: text,
});

interface Inner {
  readonly commands: readonly (readonly Argument[])[];
  /** It is not known where the command begins. */
  readonly guessed: boolean;
  /** More words are filled in when it runs. */
  readonly filled: boolean;
  /** A wrapper without a command. */
  readonly bare: boolean;
}

/** The commands that follow in the same words. */
function innerCommands(name: string, words: readonly Argument[]): Inner {
  const known = (...commands: readonly (readonly Argument[])[]): Inner => ({
    commands: commands.filter((command) => command.length > 0),
    guessed: false,
    filled: name === 'xargs' || name === 'parallel',
    bare: false,
  });
  if (name === 'find' || name === 'fd' || name === 'fdfind') return known(...executed(words));
  if (name === 'git') {
    const rest = withoutGitOptions(words);
    return rest.length < words.length ? known([gitWord, ...rest]) : known();
  }
  const wrapper = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined;
  // `command -v rm` tells where rm is.
  if (!wrapper || (name === 'command' && /^-p?[vV]/.test(literal(words[0]) ?? ''))) return known();
  const parsed = parseOptions(words, wrapper);
  // Too many forms only deny too much.
  if (typeof parsed === 'string')
    return {
      commands: words.map((_, index) => words.slice(index)),
      guessed: true,
      filled: false,
      bare: false,
    };
  let inner = parsed.operands.slice(wrapper.operands ?? 0);
  if (wrapper.assignments)
    while (/^[A-Za-z_]\w*=/.test(literal(inner[0]) ?? inner[0]?.source ?? ''))
      inner = inner.slice(1);
  const place = parsed.options.find(({ name: option }) => /^(?:-I|--replace)$/.test(option));
  const mark = name === 'xargs' ? literal(place?.value) : undefined;
  if (mark !== undefined && mark !== '')
    inner = inner.map((word) =>
      literal(word)?.includes(mark)
        ? withText(word, (literal(word) ?? '').replaceAll(mark, '{}'))
        : word,
    );
  return { ...known(inner), bare: inner.length === 0 };
}

const gitWord = plainArgument('git');

/** The words of `git` from its subcommand on. */
export function withoutGitOptions(words: readonly Argument[]): readonly Argument[] {
  let at = 0;
  while (at < words.length) {
    const text = literal(words[at]) ?? words[at]?.source ?? '';
    if (!text.startsWith('-') || /^--(?:version|help)$/.test(text)) break;
    at +=
      /^(?:-C|-c|--git-dir|--work-tree|--namespace|--super-prefix|--config-env|--exec-path|--attr-source|--list-cmds)$/.test(
        text,
      )
        ? 2
        : 1;
  }
  return words.slice(at);
}

/** What `find -exec` and `fd -x` run. */
function executed(words: readonly Argument[]): readonly (readonly Argument[])[] {
  const found: (readonly Argument[])[] = [];
  words.forEach((word, index) => {
    if (!/^(?:-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/.test(literal(word) ?? ''))
      return;
    const rest = words.slice(index + 1);
    const end = rest.findIndex((one, at) => {
      const text = literal(one);
      return text === ';' || (text === '+' && literal(rest[at - 1]) === '{}');
    });
    found.push(end < 0 ? rest : rest.slice(0, end));
  });
  return found;
}

function wrapperScripts(name: string, words: readonly Argument[]): readonly string[] {
  if (!Object.hasOwn(wrappers, name)) return [];
  const wrapper = wrappers[name];
  const parsed = wrapper && parseOptions(words, wrapper);
  if (!wrapper || !parsed || typeof parsed === 'string') return [];
  const [option, script] = parsed.operands.slice(wrapper.operands ?? 0);
  if (script && wrapper.script?.includes(literal(option) ?? '')) return [scriptText(script)];
  const values = parsed.options.flatMap(({ name: option, value }) =>
    value && wrapper.script?.includes(option)
      ? [[scriptText(value), ...parsed.operands.map((word) => scriptText(word))].join(' ')]
      : [],
  );
  return wrapper.joined && parsed.operands.length > 0
    ? [...values, parsed.operands.map((word) => scriptText(word)).join(' ')]
    : values;
}
