import { parseOptions } from './options.ts';
import { readOf } from './spec.ts';
import { readOnly, unknown, type Checker } from './verdict.ts';

/** `awk` reads when its program is known and neither runs, writes nor reads beyond its operands. */
export const awk: Checker = (words) => {
  const parsed = parseOptions(words, {
    options: '-F: -v: --field-separator: --assign:',
    leading: true,
  });
  if (typeof parsed === 'string') return unknown(parsed);
  const [program, ...files] = parsed.operands;
  if (program?.kind !== 'literal') return unknown('The program is not known.');
  const reason = awkTrouble(program.texts[0] ?? '');
  if (reason !== undefined) return unknown(reason);
  // After the program a word like an option is a file name for awk, so nothing here can be one.
  return readOnly({
    reads: files.map((file) => readOf(file, true)),
    readsInput: files.length === 0,
  });
};

const keywordsBeforeRegex = new Set(['print', 'printf', 'return', 'in', 'else', 'do', 'case']);

/** Reads an awk program; answers why it is not known to be harmless. */
export function awkTrouble(program: string): string | undefined {
  // Looked for everywhere, in strings too: a text that was misread cannot hide them.
  const word =
    /\b(?:system|getline|ENVIRON|PROCINFO|ARGV|ARGC|ARGIND|FILENAME\s*=|SYMTAB|FUNCTAB|extension)\b|@/.exec(
      program,
    );
  if (word) return `${word[0]} is not known to be harmless.`;
  let previous = '';
  let depth = 0;
  let printDepth: number | undefined;
  for (let at = 0; at < program.length;) {
    const rest = program.slice(at);
    const blank = /^(?:[ \t\r]+|\\\n|#[^\n]*)/.exec(rest)?.[0];
    if (blank) {
      at += blank.length;
      continue;
    }
    let token: string | undefined;
    if (rest.startsWith('/') && beforeRegex(previous))
      token = /^\/(?:[^\\/\n]|\\.)*\//.exec(rest)?.[0];
    else if (rest.startsWith('/') && /^(?:\)|\+\+|--)$/.test(previous))
      return 'A slash may be a division or a pattern.';
    else
      token =
        /^(?:"(?:[^"\\\n]|\\[\s\S])*"|[A-Za-z_]\w*|\d[\w.]*|\.\d+|&&|\|\||>=|<=|==|!=|\+\+|--|\n|[^"])/.exec(
          rest,
        )?.[0];
    if (token === undefined) return 'The program is not understood.';
    if (token === '(' || token === '[') depth += 1;
    else if (token === ')' || token === ']') depth -= 1;
    else if (token === 'print' || token === 'printf') printDepth = depth;
    else if (/^[;}\n{]$/.test(token)) printDepth = undefined;
    else if (token === '|') return 'A pipe runs a command.';
    else if (token === '>' && printDepth !== undefined && depth <= printDepth)
      return 'It prints to a file.';
    previous = token;
    at += token.length;
  }
  return undefined;
}

/** True when a slash after this token begins a pattern rather than divides. */
const beforeRegex = (previous: string): boolean =>
  previous === '' ||
  keywordsBeforeRegex.has(previous) ||
  (/^[^\w"$)\].]+$/.test(previous) && previous !== '++' && previous !== '--');
