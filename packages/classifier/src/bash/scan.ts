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

/** Names that these nodes may set, wherever they stand. */
export function assignedNames(nodes: readonly Node[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const command of listCommands({ nodes })) {
    // A word may be the name that a builtin such as read or export sets; more names do no harm.
    for (const word of command.words.slice(1)) {
      const name = /^[A-Za-z_]\w*/.exec(word.text.replaceAll(/["'\\]/g, ''));
      if (name) names.add(name[0]);
    }
  }
  collect(nodes, names);
  return names;
}

const plainText = (command: SimpleCommand, index: number): string | undefined => {
  const pieces = command.words[index]?.pieces ?? [];
  return pieces.every((piece) => piece.kind === 'text')
    ? pieces.map((piece) => piece.text).join('')
    : undefined;
};

/** Finds assignments and loop variables by their shape, whatever node or word they are in. */
function collect(value: unknown, names: Set<string>): void {
  if (Array.isArray(value)) {
    for (const one of value) collect(one, names);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const kind: unknown = Reflect.get(value, 'kind');
  const name: unknown = Reflect.get(value, 'name');
  if (typeof name === 'string' && kind !== 'variable' && kind !== 'function') names.add(name);
  const assigns: unknown = Reflect.get(value, 'assigns');
  if (Array.isArray(assigns)) for (const one of assigns) names.add(String(one));
  for (const one of Object.values(value)) collect(one, names);
}
