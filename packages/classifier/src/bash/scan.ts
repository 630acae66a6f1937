import { listCommands } from './list-commands.ts';
import type { Node, SimpleCommand } from './model.ts';

const movers = new Set(['cd', 'pushd', 'popd', 'eval', 'source', '.', 'builtin', 'command']);

/** Whether a command among these may change the shell's folder. Asks by name, so it says yes too often. */
export function changesFolder(nodes: readonly Node[]): boolean {
  return listCommands({ nodes }).some((command) => {
    const name = plainText(command, 0);
    return name === undefined || movers.has(name);
  });
}

export interface AssignedNames {
  /** Names that may be set, and more. */
  readonly names: ReadonlySet<string>;
  /** Those set by arithmetic and to digits only. */
  readonly counted: ReadonlySet<string>;
}

/** Names that these nodes may set, wherever they stand. */
export function assignedNames(nodes: readonly Node[]): AssignedNames {
  const counted = new Set<string>();
  const others = new Set<string>();
  for (const command of listCommands({ nodes })) {
    // A word may be the name that a builtin such as read or export sets; more names do no harm.
    for (const word of command.words.slice(1)) {
      const name = /^[A-Za-z_]\w*/.exec(word.text.replaceAll(/["'\\]/g, ''));
      if (name) others.add(name[0]);
    }
    // The name to be set may come from an expansion.
    if (
      command.words.some((word, index) => index > 0 && /[$`{]/.test(word.text)) &&
      setters.has(plainText(command, 0) ?? 'read')
    )
      return { names: everyName(nodes), counted: new Set() };
  }
  collect(nodes, counted, others);
  return {
    names: new Set([...counted, ...others]),
    counted: new Set([...counted].filter((name) => !others.has(name))),
  };
}

const setters = new Set(
  'read printf declare typeset local export readonly eval source . mapfile readarray getopts let unset builtin command'.split(
    ' ',
  ),
);

/** Every name in the text of these nodes. */
const everyName = (nodes: readonly Node[]): ReadonlySet<string> =>
  new Set(JSON.stringify(nodes).match(/[A-Za-z_]\w*/g) ?? []);

const plainText = (command: SimpleCommand, index: number): string | undefined => {
  const pieces = command.words[index]?.pieces ?? [];
  return pieces.every((piece) => piece.kind === 'text')
    ? pieces.map((piece) => piece.text).join('')
    : undefined;
};

/** Finds assignments and loop variables by their shape, whatever node or word they are in. */
function collect(value: unknown, counted: Set<string>, others: Set<string>): void {
  if (Array.isArray(value)) {
    for (const one of value) collect(one, counted, others);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const kind: unknown = Reflect.get(value, 'kind');
  const name: unknown = Reflect.get(value, 'name');
  if (typeof name === 'string' && kind !== 'variable' && kind !== 'function')
    (kind === undefined && isCount(Reflect.get(value, 'value')) ? counted : others).add(name);
  const assigns: unknown = Reflect.get(value, 'assigns');
  if (Array.isArray(assigns)) for (const one of assigns) counted.add(String(one));
  for (const one of Object.values(value)) collect(one, counted, others);
}

/** True for the word of an assignment that can only be a number. */
function isCount(word: unknown): boolean {
  if (typeof word !== 'object' || word === null) return false;
  const pieces: unknown = Reflect.get(word, 'pieces');
  if (!Array.isArray(pieces) || pieces.length !== 1) return false;
  const kind: unknown = Reflect.get(Object(pieces[0]), 'kind');
  const text: unknown = Reflect.get(Object(pieces[0]), 'text');
  return kind === 'arithmetic' || (kind === 'text' && /^(?:0|[1-9]\d*)$/.test(String(text)));
}
