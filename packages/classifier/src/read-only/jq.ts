import type { Argument } from '../bash/expand.ts';
import { has, parseOptions } from './options.ts';
import { readOf } from './spec.ts';
import { readOnly, unknown, type Checker } from './verdict.ts';

const rules = {
  options: `-r -c -n -s -S -e -a -j -M -C -R --tab --indent: --args --jsonargs --raw-output --raw-output0 --join-output
    --compact-output --null-input --slurp --sort-keys --exit-status --ascii-output --monochrome-output --color-output
    --raw-input --seq --stream --unbuffered --version --help -h -V`,
};

/** `jq` reads when its program is known and asks for neither the environment nor modules. */
export const jq: Checker = (words) => {
  const named = takeNamed(words);
  if (typeof named === 'string') return unknown(named);
  const parsed = parseOptions(named.rest, rules);
  if (typeof parsed === 'string') return unknown(parsed);
  if (has(parsed, '--version', '--help', '-h', '-V')) return readOnly();
  const [program, ...operands] = parsed.operands;
  if (program === undefined || (program.kind !== 'literal' && program.kind !== 'set'))
    return unknown('The program is not known.');
  const reason = program.texts.map((text) => jqTrouble(text)).find((one) => one !== undefined);
  if (reason !== undefined) return unknown(reason);
  // What stands before `--args` are files; behind it they are texts, which does no harm to look at.
  const isText = has(parsed, '--args', '--jsonargs');
  return readOnly({
    reads: [...named.files, ...operands].map((file) => readOf(file, true)),
    readsInput: (isText || operands.length === 0) && !has(parsed, '-n', '--null-input'),
  });
};

/** Takes out the options that have two values: `--arg name value`. */
function takeNamed(words: readonly Argument[]) {
  const rest: Argument[] = [];
  const files: Argument[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    const text = word?.kind === 'literal' ? (word.texts[0] ?? '') : '';
    if (word && !/^--(?:arg|argjson|slurpfile|rawfile)$/.test(text)) {
      rest.push(word);
      continue;
    }
    const [name, value] = words.slice(at + 1, at + 3);
    if (!name || !value || name.many || value.many) return `The values of ${text} are not known.`;
    if (text.endsWith('file')) files.push(value);
    at += 2;
  }
  return { rest, files };
}

/** Reads a jq program; answers why it is not known to be harmless. */
export function jqTrouble(program: string): string | undefined {
  const code = codeOutsideStrings(program);
  if (code === undefined) return 'The program is not understood.';
  const found =
    /\$\s*(?:ENV|__)|(?<![\w.])(?:env|import|include|modulemeta|input_filename|get_search_list|debug|stderr)\b|\.\.\s*env\b|\.\s+env\b/.exec(
      code,
    );
  return found ? `${found[0]} is not known to be harmless.` : undefined;
}

/** Drops the text of strings but keeps the code interpolated in them. */
function codeOutsideStrings(program: string): string | undefined {
  let code = '';
  // One entry for each open parenthesis; true where a string goes on behind it.
  const open: boolean[] = [];
  let inString = false;
  for (let at = 0; at < program.length; at += 1) {
    const char = program[at] ?? '';
    if (inString) {
      if (char === '"') {
        inString = false;
        code += '"';
      } else if (char === '\\') {
        at += 1;
        if (program[at] === '(') {
          open.push(true);
          inString = false;
          code += ' ( ';
        }
      }
      continue;
    }
    // A comment may hold a quote that is none.
    if (char === '#') return undefined;
    if (char === '"') inString = true;
    if (char === '(') open.push(false);
    if (char === ')') {
      const resumes = open.pop();
      if (resumes === undefined) return undefined;
      if (resumes) inString = true;
    }
    code += char;
  }
  return inString || open.length > 0 ? undefined : code;
}
