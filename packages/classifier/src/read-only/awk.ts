import { parseOptions } from './options.ts';
import { readOf } from './spec.ts';
import { readOnly, unknown, type Checker } from './verdict.ts';

const rules = { options: '-F: -v: --field-separator: --assign:', leading: true };

/** `awk` reads when its program is known and neither runs, writes nor reads beyond its operands. */
export const awk: Checker = (words) => {
  const parsed = parseOptions(words, rules);
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

const beforeRegexWords = new Set(['print', 'printf', 'return', 'in', 'else', 'do']);
/** Words of some awk behind which a slash may be either. */
const unclearWords = new Set(
  'BEGIN BEGINFILE END ENDFILE break case continue default delete exit for func function if length next nextfile switch while'.split(
    ' ',
  ),
);

/** Reads an awk program; answers why it is not known to be harmless. */
export function awkTrouble(program: string): string | undefined {
  // Looked for everywhere, in strings too: a text that was misread cannot hide them.
  const word =
    /\b(?:system|getline|ENVIRON|PROCINFO|ARGV|ARGC|ARGIND|FILENAME\s*=|SYMTAB|FUNCTAB|extension)\b|@/.exec(
      program,
    );
  if (word) return `${word[0]} is not known to be harmless.`;
  const prints = /\bprintf?\b/.test(program);
  let previous = '';
  let depth = 0;
  let braces = 0;
  for (let at = 0; at < program.length;) {
    const rest = program.slice(at);
    const blank = /^(?:[ \t\r]+|\\\n|#[^\n]*)/.exec(rest)?.[0];
    if (blank) {
      at += blank.length;
      continue;
    }
    let token: string | undefined;
    if (rest.startsWith('/') && beforeRegex(previous)) {
      token = /^\/(?:[^\\/\n]|\\.)*\//.exec(rest)?.[0];
      if (token !== undefined && endsInBrackets(token))
        return 'A slash in brackets may end the pattern.';
    } else if (rest.startsWith('/') && !afterOperand(previous))
      return 'A slash may be a division or a pattern.';
    else
      token =
        /^(?:"(?:[^"\\\n]|\\[\s\S])*"|[A-Za-z_]\w*|\d[\w.]*|\.\d+|&&|\|\||>=|<=|==|!=|\+\+|--|\n|[^"])/.exec(
          rest,
        )?.[0];
    if (token === undefined) return 'The program is not understood.';
    if (token === '(' || token === '[') depth += 1;
    else if (token === ')' || token === ']') depth -= 1;
    else if (token === '{') braces += 1;
    else if (token === '}') braces -= 1;
    else if (token === '|') return 'A pipe runs a command.';
    // Where a statement ends is not followed: outside of braces there is none, and in parentheses no output.
    else if (token === '>' && prints && braces > 0 && depth === 0) return 'It may print to a file.';
    if (depth < 0 || braces < 0) return 'The program is not understood.';
    // A pattern is an operand, whatever it is made of.
    previous = token.length > 1 && token.startsWith('/') ? ')' : token;
    at += token.length;
  }
  return undefined;
}

/** True when a slash after this token begins a pattern. */
const beforeRegex = (previous: string): boolean =>
  previous === '' ||
  beforeRegexWords.has(previous) ||
  (/^[^\w"$)\].]+$/.test(previous) && previous !== '++' && previous !== '--');

/** True when a slash after this token divides. */
const afterOperand = (previous: string): boolean =>
  /^(?:\w|\.\d|"|\]$)/.test(previous) && !unclearWords.has(previous);

/** True when a pattern ends within brackets, where some awks see no end. */
const endsInBrackets = (pattern: string): boolean =>
  /\[\^?\]?[^\]]*$/.test(
    pattern
      .slice(1, -1)
      .replaceAll(/\\./g, 'x')
      .replaceAll(/\[([:.=])[^\]]*\1\]/g, 'x'),
  );
