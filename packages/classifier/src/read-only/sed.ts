import { has, parseOptions } from './options.ts';
import { readOf } from './spec.ts';
import { readOnly, unknown, writes, type Checker } from './verdict.ts';

const rules = {
  options: `-n -E -r -s -u -z -l: -e: --quiet --silent --regexp-extended --separate --unbuffered --null-data --line-length:
    --expression: --posix --debug --sandbox --help --version`,
};

/** `sed` reads when every script is known and holds no command that writes, runs or reads a file. */
export const sed: Checker = (words) => {
  if (words.some((word) => /^(?:-[nErsuz]*i|--in-place)/.test(word.texts[0] ?? '')))
    return writes('-i changes files in place.');
  const parsed = parseOptions(words, rules);
  if (typeof parsed === 'string') return unknown(parsed);
  if (has(parsed, '--help', '--version')) return readOnly();
  const given = parsed.options.filter(
    (option) => option.name === '-e' || option.name === '--expression',
  );
  const scripts =
    given.length > 0 ? given.map((option) => option.value) : parsed.operands.slice(0, 1);
  const files = given.length > 0 ? parsed.operands : parsed.operands.slice(1);
  if (scripts.length === 0) return unknown('There is no script.');
  const texts: string[] = [];
  for (const script of scripts) {
    if (!script || (script.kind !== 'literal' && script.kind !== 'set'))
      return unknown('The script is not known.');
    if (script.kind === 'set' && scripts.length > 1) return unknown('The script is not known.');
    texts.push(...script.texts);
  }
  const whole = scripts.length > 1 ? [texts.join('\n')] : texts;
  const reason = whole.map((text) => sedTrouble(text)).find((one) => one !== undefined);
  if (reason !== undefined) return unknown(reason);
  return readOnly({
    reads: files.map((file) => readOf(file, true)),
    readsInput: files.length === 0,
  });
};

/** Reads a sed script; answers why it is not known to be harmless. */
export function sedTrouble(script: string): string | undefined {
  let at = 0;
  const skip = (pattern: RegExp): string => {
    const sticky = new RegExp(pattern.source, 'y');
    sticky.lastIndex = at;
    const found = sticky.exec(script)?.[0] ?? '';
    at += found.length;
    return found;
  };
  /** Skips to the next unescaped delimiter. One inside brackets may or may not end it, so that is refused. */
  const part = (delimiter: string): boolean => {
    const from = at;
    for (; at < script.length; at += 1) {
      const char = script[at];
      if (char === '\\') at += 1;
      else if (char === '\n') return false;
      else if (char === delimiter) {
        const inside = script.slice(from, at).replaceAll(/\\[\s\S]/g, '');
        at += 1;
        return !/\[\^?\]?[^\]]*$/.test(inside);
      }
    }
    return false;
  };
  const address = (): boolean => {
    if (skip(/\d+(?:~\d+)?|\$/)) return true;
    let delimiter = '/';
    if (script[at] === '\\') {
      at += 1;
      delimiter = script[at] ?? '';
      if (!/[^\sA-Za-z0-9\\]/.test(delimiter)) return false;
    } else if (script[at] !== '/') return true;
    at += 1;
    if (!part(delimiter)) return false;
    skip(/[IM]*/);
    return true;
  };
  while (at < script.length) {
    skip(/[\s;]*/);
    if (at >= script.length) return undefined;
    if (!address()) return 'An address is not understood.';
    skip(/[ \t]*/);
    if (script[at] === ',') {
      at += 1;
      skip(/[ \t]*/);
      if (!skip(/[+~]\d+/) && !address()) return 'An address is not understood.';
    }
    skip(/[ \t!]*/);
    const command = script[at] ?? '';
    at += 1;
    if (command === '#') skip(/[^\n]*/);
    else if (/^[aic]$/.test(command)) skip(/(?:[^\n\\]|\\[\s\S])*/);
    else if (/^[:btT]$/.test(command)) skip(/[ \t]*[^\s;}]*/);
    else if (/^[qQlL]$/.test(command)) skip(/[ \t]*\d*/);
    else if (command === 's' || command === 'y') {
      const delimiter = script[at] ?? '';
      at += 1;
      if (!/[^\sA-Za-z0-9\\]/.test(delimiter)) return 'The delimiter is not understood.';
      if (!part(delimiter) || !part(delimiter)) return `The ${command} command is not understood.`;
      if (command === 's') skip(/[gpiIM0-9]*/);
    } else if (!/^[pPdDnNgGhHx=zF{}]$/.test(command))
      return `The command ${command || '(none)'} is not known to be harmless.`;
    // Whatever follows a command must end it; otherwise it was misread.
    if (/^[{}]$/.test(command)) continue;
    skip(/[ \t]*/);
    if (at < script.length && !/[\n;}#]/.test(script[at] ?? ''))
      return 'A command is not understood.';
  }
  return undefined;
}
