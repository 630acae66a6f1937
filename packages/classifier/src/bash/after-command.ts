import { resolvePath } from '@toolgate/core';
import type { Argument } from './expand.ts';
import type { Input } from './walked.ts';
import { forgotten, someData, withVariable, type ShellState } from './state.ts';

export interface AfterCommand {
  readonly ok: ShellState;
  readonly failed: ShellState;
  readonly moves: readonly string[];
  readonly trouble?: string;
}

/** Builtins that run code or change the shell in ways that are not followed. */
const unfollowed = new Set([
  'eval',
  'source',
  '.',
  'pushd',
  'popd',
  'unset',
  'export',
  'declare',
  'typeset',
  'local',
  'readonly',
  'mapfile',
  'readarray',
  'getopts',
  'let',
  'trap',
  'enable',
  'hash',
  'alias',
  'unalias',
  'shopt',
  'exec',
]);

/** What a command leaves behind in the shell: a folder, variables. */
export function afterCommand(
  words: readonly Argument[],
  state: ShellState,
  options: {
    readonly home: string;
    readonly isEnvironmentName: (name: string) => boolean;
  },
  input: Input,
): AfterCommand {
  const name = literal(words[0]);
  if (name === undefined) return same(forgotten(state));
  if (name === 'builtin' || name === 'command') {
    const inner = words
      .slice(1)
      .filter((word, index) => !(index === 0 && /^(?:--|-p)$/.test(literal(word) ?? '')));
    return inner.length > 0 ? afterCommand(inner, state, options, input) : same(state);
  }
  if (name === 'cd') return afterCd(words.slice(1), state, options.home);
  if (name === 'read') return afterRead(words.slice(1), state, options.isEnvironmentName, input);
  if (name === 'printf' && literal(words[1])?.startsWith('-v')) return same(forgotten(state));
  if (name === 'printf' && words[1]?.kind !== 'literal') return same(forgotten(state));
  if (unfollowed.has(name)) return same(forgotten(state));
  return same(state);
}

const same = (state: ShellState, trouble?: string): AfterCommand => ({
  ok: state,
  failed: state,
  moves: [],
  ...(trouble !== undefined && { trouble }),
});

const literal = (word: Argument | undefined): string | undefined =>
  word?.kind === 'literal' ? word.texts[0] : undefined;

function afterCd(words: readonly Argument[], state: ShellState, home: string): AfterCommand {
  let rest = words;
  while (/^-[LPe@]+$/.test(literal(rest[0]) ?? '')) rest = rest.slice(1);
  if (literal(rest[0]) === '--') rest = rest.slice(1);
  const [target, ...more] = rest;
  const paths = target === undefined ? [home] : target.texts;
  const plain = target === undefined || target.kind === 'literal' || target.kind === 'set';
  if (more.length > 0 || !plain || paths.some((path) => path.startsWith('-')) || !state.folders)
    return {
      ok: { ...state, folders: undefined },
      failed: state,
      moves: [],
      trouble: 'The folder that cd leads to is not known.',
    };
  const { folders } = state;
  // A plain `~` was expanded before; one that is left is a folder of that name.
  const moves = paths.flatMap((path) =>
    folders.map((folder) =>
      path === '' ? folder : resolvePath(path.startsWith('~') ? `./${path}` : path, folder, home),
    ),
  );
  const reached = [...new Set(moves)];
  return {
    ok: { ...state, folders: reached.length <= 8 ? reached : undefined },
    failed: state,
    moves,
  };
}

/** `read` sets its names to data; a name with a subscript would be evaluated. */
function afterRead(
  words: readonly Argument[],
  state: ShellState,
  isEnvironmentName: (name: string) => boolean,
  input: Input,
): AfterCommand {
  const line = { ...someData, climbs: input.outside === true };
  let next = state;
  let names = 0;
  for (let at = 0; at < words.length; at += 1) {
    const word = literal(words[at]);
    if (word === undefined)
      return same(forgotten(state), 'read sets a variable that is not known.');
    if (/^-[rs]*[dnNptiu]$/.test(word)) at += 1;
    else if (/^-[rs]+$|^-[rs]*[dnNpt]./.test(word)) continue;
    else if (!/^[A-Za-z_]\w*$/.test(word) || isEnvironmentName(word))
      return same(forgotten(state), `read may not set ${word}.`);
    else {
      next = withVariable(next, word, line);
      names += 1;
    }
  }
  return same(names === 0 ? withVariable(next, 'REPLY', line) : next);
}
