import { posix } from 'node:path';
import type { Argument } from '../bash/expand.ts';

/** Why reading a path is more than a read, whatever the rules for paths say. */
export function pathTrouble(
  path: string,
  folders: readonly string[] | undefined,
): string | undefined {
  if (/^[/\\]{2}[^/\\]/.test(path)) return 'The path names another machine.';
  for (const folder of folders ?? ['/']) {
    const full = posix.resolve(folder, path);
    if (/^\/dev\/(?:tcp|udp)(?:\/|$)/.test(full)) return 'The path opens a network connection.';
    // Environments and memory of processes hold secrets; `cpuinfo` and its like do not.
    if (/^\/proc\/(?:self|thread-self|\d|.*[*?[])/.test(full))
      return 'The path shows the inside of a process.';
  }
  return undefined;
}

/** The same for an argument, by all it may be. */
export function argumentTrouble(
  argument: Argument,
  folders: readonly string[] | undefined,
): string | undefined {
  const paths = argument.texts.length > 0 ? argument.texts : argument.prefixes;
  return paths.map((path) => pathTrouble(path, folders)).find((reason) => reason !== undefined);
}
