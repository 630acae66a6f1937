import type { Argument } from '../bash/expand.ts';
import type { Input } from '../bash/walked.ts';
import { literal } from '../read-only/verdict.ts';
import { hiddenScripts } from './hidden-scripts.ts';
import { shells } from './wrappers.ts';

/** Scripts that a command holds in its words or gets on standard input; they run when it does. */
export function scriptsOf(
  name: string,
  words: readonly Argument[],
  input: Input,
): readonly string[] | undefined {
  if (shells.has(name)) return shellScripts(words, input);
  switch (name) {
    case 'sudo':
    case 'doas':
      // Without a command it starts a shell, which reads its input.
      return words.every((word) => literal(word)?.startsWith('-')) &&
        words.some((word) => /^-[a-zA-Z]*[si]|^--(?:shell|login)$/.test(literal(word) ?? ''))
        ? shellScripts([], input)
        : joinedScripts(undefined, hiddenScripts(name, words));
    case 'eval':
      return [words.map((word) => scriptText(word)).join(' ')];
    case 'trap': {
      const rest = /^(?:--|-[lp])$/.test(literal(words[0]) ?? '') ? words.slice(1) : words;
      return rest[0] && rest.length > 1 ? [scriptText(rest[0])] : undefined;
    }
    case 'su':
    case 'runuser':
      return (
        afterOption(words, /^(?:-[a-zA-Z]*c|--command)$/) ??
        (input.text === undefined ? undefined : [input.text])
      );
    case 'script':
      return afterOption(words, /^(?:-[a-zA-Z]*c|--command)$/);
    case 'ssh':
      return joinedScripts(sshScript(words), hiddenScripts(name, words));
    case 'npx':
    case 'npm':
      return afterOption(words, /^(?:-c|--call)$/);
    case 'git':
      return joinedScripts(gitScripts(words), hiddenScripts(name, words));
    case 'source':
    case '.':
      return sourced(words[0], input);
    case 'at':
    case 'batch':
      return input.text === undefined ? undefined : [input.text];
    default:
      return joinedScripts(undefined, hiddenScripts(name, words));
  }
}

const joinedScripts = (
  one: readonly string[] | undefined,
  two: readonly string[],
): readonly string[] | undefined => (two.length > 0 ? [...(one ?? []), ...two] : one);

const isInput = (operand: Argument): boolean =>
  operand.process ||
  /^(?:-|\/dev\/stdin|\/(?:dev|proc\/self)\/fd\/\d+)$/.test(literal(operand) ?? '');

const sourced = (operand: Argument | undefined, input: Input): readonly string[] | undefined =>
  operand && isInput(operand)
    ? operand.process || input.text === undefined
      ? []
      : [input.text]
    : undefined;

/** The text of a script, as far as it is known: a variable in it stays as written. */
export function scriptText(word: Argument): string {
  const known = word.kind === 'literal' ? word.texts[0] : undefined;
  if (known !== undefined) return known;
  if (word.texts.length > 0) return word.texts.join('\n');
  const { source } = word;
  return /^".*"$/s.test(source) ? source.slice(1, -1).replaceAll(/\\([$"`\\])/g, '$1') : source;
}

function shellScripts(words: readonly Argument[], input: Input): readonly string[] | undefined {
  let at = 0;
  let inline = false;
  for (; at < words.length; at += 1) {
    const text = literal(words[at]) ?? '';
    if (text === '--') {
      at += 1;
      break;
    }
    if (!/^[-+]./.test(text)) break;
    if (/^-[a-zA-Z]*c[a-zA-Z]*$/.test(text)) inline = true;
    if (/^--(?:rcfile|init-file)$/.test(text) && words[at + 1]?.process) return [];
    // These take a value.
    if (/^[-+][a-zA-Z]*[oO]$|^--(?:rcfile|init-file)$/.test(text)) at += 1;
  }
  const operand = words[at];
  if (inline) return operand ? [scriptText(operand)] : [];
  const stdin =
    !operand ||
    words.slice(0, at).some((word) => /^-[a-z]*s/.test(literal(word) ?? '')) ||
    isInput(operand);
  if (operand?.process) return [];
  if (!stdin) return undefined;
  return input.text === undefined ? (input.from === 'session' ? undefined : []) : [input.text];
}

function afterOption(words: readonly Argument[], option: RegExp): readonly string[] | undefined {
  const scripts = words.flatMap((word, index) => {
    const text = literal(word) ?? '';
    const joined = /^--(?:command|call)=(.*)$/s.exec(text)?.[1];
    if (joined !== undefined) return [joined];
    const next = words[index + 1];
    return option.test(text) && next ? [scriptText(next)] : [];
  });
  return scripts.length > 0 ? scripts : undefined;
}

function sshScript(words: readonly Argument[]): readonly string[] | undefined {
  let at = 0;
  for (; at < words.length; at += 1) {
    const text = literal(words[at]) ?? '';
    if (!text.startsWith('-')) break;
    if (/^-[a-zA-Z]*[BbcDEeFIiJLlmOopQRSWw]$/.test(text)) at += 1;
  }
  const remote = words.slice(at + 1);
  return remote.length > 0 ? [remote.map((word) => scriptText(word)).join(' ')] : undefined;
}

function gitScripts(words: readonly Argument[]): readonly string[] | undefined {
  const texts = words.map((word) => scriptText(word));
  const found: string[] = [];
  texts.forEach((text, index) => {
    const next = texts[index + 1];
    const alias = /^alias\.[^=]*=\s*(!?)(.*)$/is.exec(
      text === '-c' ? (next ?? '') : text.startsWith('-c') ? text.slice(2) : '',
    );
    if (alias) found.push(alias[1] ? (alias[2] ?? '') : `git ${alias[2]}`);
    if (/^(?:-x|--exec)$/.test(text) && next !== undefined && texts.includes('rebase'))
      found.push(next);
    if (text.startsWith('--exec=') && texts.includes('rebase')) found.push(text.slice(7));
    if (text === 'foreach' && texts.slice(0, index).includes('submodule')) {
      const rest = texts.slice(index + 1);
      const from = rest.findIndex((one) => !/^(?:--recursive|-q|--quiet|--)$/.test(one));
      if (from >= 0) found.push(rest.slice(from).join(' '));
    }
    if (text === 'run' && texts[index - 1] === 'bisect')
      found.push(texts.slice(index + 1).join(' '));
  });
  return found.length > 0 ? found : undefined;
}
