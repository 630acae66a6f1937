import type { Warning } from '@toolgate/core';

/**
 * The floor under removals, as long as nobody who reads Bash owns the tool's effects: the text has the
 * word rm or rmdir, and somewhere the root, a folder directly below it, a home folder, or what a
 * variable leads to. It reads no syntax and rather asks once too often.
 */
export function criticalRemoval(command: string, home: string): Warning | undefined {
  const plain = command.replace(/["'\\]/g, '');
  if (!/(^|[^\w.-])(rm|rmdir)(?![\w.-])/.test(plain)) return undefined;
  const words = plain.split(/[\s;&|()<>`]+/).map((word) => word.replace(/^-[^/~$]*=?/, ''));
  const target = words.find((word) => isCritical(word, home));
  if (target === undefined) return undefined;
  return {
    code: 'critical-removal',
    message: `This may remove ${target} and all that is in it.`,
    asks: 'person',
  };
}

function isCritical(word: string, home: string): boolean {
  const path = word
    .replace(/\/(\.?\/)+/g, '/')
    .replace(/\/\.$/, '/')
    .replace(/(?<=.)\/$/, '');
  return (
    /^~\w*(\/[*.]*)?$/.test(path) ||
    /^\$\{?HOME\}?$/.test(path) ||
    /^\$\{?\w[^/]*\/(\*.*)?$/.test(word) ||
    /^\/([^/]*|[^/]+\/\*+|.*\/\.\.)$/.test(path) ||
    path === home ||
    path === `${home}/*`
  );
}
