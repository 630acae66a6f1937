import type { Argument } from '../bash/expand.ts';
import { literal, readOnly, unknown, writes, type Checker, type Read } from './verdict.ts';

/** `echo` prints whatever it gets. */
export const echo: Checker = () => readOnly();

/** `tee` writes, but for a place that keeps nothing. */
export const tee: Checker = (words) =>
  words.every((word) => literal(word) === '/dev/null')
    ? readOnly({ readsInput: true })
    : writes('tee writes files.');

/** `printf` sets a variable with `-v` and with `%n`, and evaluates its name. */
export const printf: Checker = (words) => {
  const operands = literal(words[0]) === '--' ? words.slice(1) : words;
  const [format, ...values] = operands;
  if (!format) return unknown('There is no format.');
  if (operands === words && !format.anchored) return unknown('The format may be an option.');
  const known = format.kind === 'literal' || format.kind === 'set';
  if (!known && (values.length > 0 || format.many)) return unknown('The format is not known.');
  if (format.texts.some((text) => /%[-#0 +'*\d.hjlLtz]*n/.test(text)))
    return unknown('%n sets a variable.');
  return readOnly();
};

/** `cd` only moves; where to is followed elsewhere. */
export const cd: Checker = () => readOnly();
/** `read` sets variables; which ones is followed elsewhere. */
export const read: Checker = () => readOnly({ readsInput: true });

export const set: Checker = (words) => {
  const texts = words.map((word) => literal(word));
  const harmless = texts.every((text, index) =>
    text === undefined
      ? false
      : /^-[eu]*o?$/.test(text) ||
        (text === 'pipefail' && texts[index - 1]?.endsWith('o') === true),
  );
  return words.length > 0 && harmless
    ? readOnly()
    : unknown('set changes the shell or prints its variables.');
};

/** `exit`, `break` and their like with a plain number. */
export const leave: Checker = (words) =>
  words.length === 0 ||
  (words.length === 1 &&
    words[0]?.kind !== 'glob' &&
    /^(?:\d+|\$\?|"\$\?")$/.test(words[0]?.source ?? ''))
    ? readOnly()
    : unknown('Its operand is not a plain number.');

export const colon: Checker = () => readOnly();

const unary = /^-[a-hknopr-uwxzGLNOS]$/;
const files = /^-[a-hkpr-uwxGLNOS]$/;
const binary = /^(?:=|==|!=|<|>|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))$/;

/** `test` and `[`: `-v` and `-R` evaluate a subscript in the name they are given. */
export const test: Checker = (words) => testTerms(words);
export const bracket: Checker = (words) =>
  literal(words.at(-1)) === ']'
    ? testTerms(words.slice(0, -1))
    : unknown('There is no closing bracket.');

function testTerms(words: readonly Argument[]) {
  const reads: Read[] = [];
  let term: Argument[] = [];
  const terms: Argument[][] = [];
  for (const [index, word] of words.entries()) {
    const text = literal(word);
    if (word.texts.some((one) => /\[.*[$`]/s.test(one)))
      return unknown('A subscript may be evaluated.');
    if (
      text !== undefined &&
      /^-[vR]$/.test(text) &&
      !/^[A-Za-z_]\w*$/.test(literal(words[index + 1]) ?? '')
    )
      return unknown('The name tested is evaluated.');
    if (word.many) return unknown(`${word.source} may become operators.`);
    if (word.constant && (text === '(' || text === ')')) return unknown('Groups are not followed.');
    if (word.constant && (text === '-a' || text === '-o') && term.length > 0) {
      terms.push(term);
      term = [];
    } else if (text === '!' && term.length === 0) continue;
    else term.push(word);
  }
  terms.push(term);
  for (const [first, second, third, ...more] of terms) {
    if (more.length > 0) return unknown('The test is not understood.');
    if (third) {
      if (!binary.test(literal(second) ?? '')) return unknown('The test is not understood.');
      if (/^-(?:nt|ot|ef)$/.test(literal(second) ?? ''))
        reads.push(...[first, third].flatMap((one) => named(one)));
    } else if (second) {
      const operator = literal(first) ?? '';
      if (!unary.test(operator) && !/^-[vR]$/.test(operator))
        return unknown('The test is not understood.');
      if (/^-[vR]$/.test(operator) && !/^[A-Za-z_]\w*$/.test(literal(second) ?? ''))
        return unknown('The name tested is evaluated.');
      if (files.test(operator)) reads.push(...named(second));
    }
  }
  return readOnly({ reads });
}

/** What one test inside `[[ ]]` looks at. */
export const testedFiles = (operator: string, operands: readonly Argument[]): readonly Read[] =>
  files.test(operator) || /^-(?:nt|ot|ef)$/.test(operator)
    ? operands.flatMap((operand) => named(operand))
    : [];

const named = (argument: Argument | undefined): readonly Read[] =>
  argument
    ? [{ argument, content: false, open: argument.kind === 'dynamic' || argument.kind === 'glob' }]
    : [];
