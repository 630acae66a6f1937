import type { Node } from './model.ts';
import type { Visit } from './walked.ts';

/** The text that the first command of a pipeline surely prints: a here-document or a constant. */
export function printedText(part: Node, visit: Visit | undefined): { readonly text?: string } {
  if (part.kind !== 'command' || !visit || visit.command !== part) return {};
  const words = visit.arguments.map((one) => (one.kind === 'literal' ? one.texts[0] : undefined));
  const [name, ...rest] = words.filter((word) => word !== undefined);
  if (words.length > rest.length + 1) return {};
  if (name === 'cat' && rest.length === 0 && visit.input.text !== undefined)
    return { text: visit.input.text };
  const text = name === 'echo' ? echoed(rest) : name === 'printf' ? formatted(rest) : undefined;
  return text === undefined ? {} : { text };
}

function echoed(words: readonly string[]): string | undefined {
  const from = words.findIndex((word) => !/^-[neE]+$/.test(word));
  const text = (from < 0 ? [] : words.slice(from)).join(' ');
  const escapes = words.slice(0, Math.max(from, 0)).some((word) => word.includes('e'));
  return escapes ? unescaped(text) : text;
}

/** `printf` with texts only. */
function formatted(words: readonly string[]): string | undefined {
  const [format, ...values] = words[0] === '--' ? words.slice(1) : words;
  const pattern = format === undefined ? undefined : unescaped(format);
  if (pattern === undefined || /%(?![sb%])/.test(pattern)) return undefined;
  const count = pattern.match(/%[sb]/g)?.length ?? 0;
  const rounds = count === 0 ? 1 : Math.max(1, Math.ceil(values.length / count));
  let next = 0;
  const one = () =>
    pattern.replaceAll(/%[sb%]/g, (mark) => (mark === '%%' ? '%' : (values[next++] ?? '')));
  return Array.from({ length: rounds }, one).join('');
}

/** Resolves line ends and blanks; other escapes are not followed. */
function unescaped(text: string): string | undefined {
  if (/\\(?![nt\\])/.test(text)) return undefined;
  return text.replaceAll(/\\([nt\\])/g, (_, letter: string) =>
    letter === 'n' ? '\n' : letter === 't' ? '\t' : '\\',
  );
}
