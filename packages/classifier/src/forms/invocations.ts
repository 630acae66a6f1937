import type { Argument } from '../bash/expand.ts';
import { parseBash } from '../bash/parse.ts';
import type { ShellState } from '../bash/state.ts';
import { walk } from '../bash/walk.ts';
import type { Input } from '../bash/walked.ts';
import { parseOptions } from '../read-only/options.ts';
import { literal } from '../read-only/verdict.ts';
import { scriptsOf, scriptText } from './scripts.ts';
import { wrappers } from './wrappers.ts';

/** One command that runs, or may run, when a command of the text does: itself, or one it holds. */
export interface Invocation {
  readonly words: readonly Argument[];
  readonly state: ShellState;
  readonly input: Input;
}

const deepest = 3;
/** More than any honest command holds; what lies beyond is not read, and such a command is never allowed by pattern. */
const most = 2000;

/**
 * Every form of a command that deny and ask rules, warnings and floors must read: as it is, by its base
 * name, behind wrappers, without git's global options, and in constant scripts, three levels deep.
 */
export function invocationsOf(
  words: readonly Argument[],
  state: ShellState,
  input: Input,
  home: string,
): readonly Invocation[] {
  const found: Invocation[] = [];
  const seen = new Set<string>();
  const add = (
    all: readonly Argument[],
    at: ShellState,
    from: Input,
    depth: number,
    peeled: number,
  ): void => {
    const [first, ...rest] = all;
    if (!first || found.length >= most || peeled > 20) return;
    if (first.kind === 'set') {
      for (const text of first.texts)
        add([withText(first, text), ...rest], at, from, depth, peeled + 1);
      return;
    }
    // Wrappers that are not understood reach the same words in many ways.
    const key = `${depth} ${at.folders?.join(':')} ${all.map((word) => word.source).join('\0')}`;
    if (seen.has(key)) return;
    seen.add(key);
    found.push({ words: all, state: at, input: from });
    const written = literal(first);
    if (written === undefined) return;
    const name = written.slice(written.lastIndexOf('/') + 1);
    if (name !== written && name !== '') {
      add([withText(first, name), ...rest], at, from, depth, peeled + 1);
      return;
    }
    for (const inner of innerCommands(name, rest)) add(inner, at, from, depth, peeled + 1);
    if (depth >= deepest) return;
    for (const script of [...(scriptsOf(name, rest, from) ?? []), ...wrapperScripts(name, rest)]) {
      const nested = parseBash(script);
      const walked = walk(nested.script, {
        cwd: at.folders?.[0] ?? '/',
        home,
        isEnvironmentName: () => false,
      });
      for (const visit of walked.visits) {
        const folders = at.folders ? visit.state.folders : undefined;
        add(visit.arguments, { ...visit.state, folders }, visit.input, depth + 1, 0);
      }
    }
  };
  add(words, state, input, 0, 0);
  return found;
}

const withText = (word: Argument, text: string): Argument => ({
  ...word,
  kind: 'literal',
  texts: [text],
  prefixes: [text],
  source: text,
  emptied: text,
});

/** The commands that follow in the same words. */
function innerCommands(name: string, words: readonly Argument[]): readonly (readonly Argument[])[] {
  if (name === 'find' || name === 'fd' || name === 'fdfind') return executed(words);
  if (name === 'git') {
    const rest = withoutGitOptions(words);
    return rest.length < words.length ? [[gitWord, ...rest]] : [];
  }
  if (!Object.hasOwn(wrappers, name)) return [];
  const wrapper = wrappers[name];
  // `command -v rm` tells where rm is.
  if (!wrapper || (name === 'command' && /^-p?[vV]/.test(literal(words[0]) ?? ''))) return [];
  const parsed = parseOptions(words, wrapper);
  // Not understood: any word could begin the command. Too many forms only deny too much.
  if (typeof parsed === 'string') return words.map((_, index) => words.slice(index)).slice(0, 200);
  let inner = parsed.operands.slice(wrapper.operands ?? 0);
  if (wrapper.assignments)
    while (/^[A-Za-z_]\w*=/.test(literal(inner[0]) ?? inner[0]?.source ?? ''))
      inner = inner.slice(1);
  return inner.length > 0 ? [inner] : [];
}

const gitWord: Argument = {
  source: 'git',
  kind: 'literal',
  texts: ['git'],
  prefixes: ['git'],
  anchored: true,
  many: false,
  climbs: false,
  process: false,
  constant: true,
  emptied: 'git',
  trouble: undefined,
};

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
  const values = parsed.options.flatMap(({ name: option, value }) =>
    value && wrapper.script?.includes(option)
      ? [[scriptText(value), ...parsed.operands.map((word) => scriptText(word))].join(' ')]
      : [],
  );
  return wrapper.joined && parsed.operands.length > 0
    ? [...values, parsed.operands.map((word) => scriptText(word)).join(' ')]
    : values;
}
