import { createScanner, type Node } from 'jsonc-parser';
import { token } from '../parse-jsonc.ts';

const comma = 5; // SyntaxKind.CommaToken; a const enum that a module cannot import

/** Writes a value behind the last child of a list or object, in the form that the others have. */
export function insertAtEnd(
  text: string,
  container: Node,
  { key, value }: { readonly key?: string; readonly value: unknown },
): string {
  const form = formOf(text);
  const base = indentAt(text, container.offset);
  const close = container.offset + container.length - 1;
  const children = container.children ?? [];
  const last = children.at(-1);
  const isSpread = last
    ? text.slice(container.offset, last.offset).includes('\n')
    : container.type === 'object' || text.slice(container.offset, close).includes('\n');
  const indent = last && isSpread ? indentAt(text, last.offset) : base + form.indent;
  const name = key === undefined ? '' : `${JSON.stringify(key)}: `;
  const written = name + jsonOf(value, isSpread ? indent : undefined, form);
  if (!last) {
    const inside = text
      .slice(container.offset + 1, close)
      .replace(/[\t ]+$/, '')
      .replace(/\r?\n$/, '');
    const beside = inside.trim() === '' ? '' : `${inside} `;
    const content = isSpread
      ? `${inside}${form.eol}${indent}${written}${form.eol}${base}`
      : beside + written;
    return text.slice(0, container.offset + 1) + content + text.slice(close);
  }
  const end = last.offset + last.length;
  const behind = commaAfter(text, end, close);
  if (!isSpread) {
    const at = behind ?? end;
    return `${text.slice(0, at)}${behind === undefined ? ',' : ''} ${written}${behind === undefined ? '' : ','}${text.slice(at)}`;
  }
  // A comment behind the last child on its line stays with it.
  const line = lineEnd(text, behind ?? end, close);
  return (
    text.slice(0, end) +
    (behind === undefined ? ',' : '') +
    text.slice(end, line) +
    form.eol +
    indent +
    written +
    (behind === undefined ? '' : ',') +
    (line === close ? form.eol + base : '') +
    text.slice(line)
  );
}

/** Takes a child out with its comma, and with its line where it has one of its own. */
export function removeChild(text: string, container: Node, index: number): string {
  const children = container.children ?? [];
  const child = children[index];
  if (!child) return text;
  const close = container.offset + container.length - 1;
  const end = child.offset + child.length;
  const behind = commaAfter(text, end, children[index + 1]?.offset ?? close);
  const previous = children[index - 1];
  const previousEnd = previous && previous.offset + previous.length;
  const isLast = index === children.length - 1;
  const start = text.lastIndexOf('\n', child.offset - 1) + 1;
  const line = lineEnd(text, behind ?? end, close);
  const ownsLine =
    text.slice(start, child.offset).trim() === '' &&
    text[line] !== undefined &&
    /[\r\n]/.test(text[line]);
  const cut = (from: number, to: number) => text.slice(0, from) + text.slice(to);
  const dropComma = (rest: string) => {
    // The one before is the last now; it keeps its comma only where the last one had one.
    if (!isLast || behind !== undefined || previousEnd === undefined) return rest;
    const at = commaAfter(text, previousEnd, child.offset);
    return at === undefined ? rest : rest.slice(0, at - 1) + rest.slice(at);
  };
  if (ownsLine) return dropComma(cut(start, text.indexOf('\n', line) + 1));
  const next = children[index + 1];
  if (next) return cut(child.offset, next.offset);
  return previousEnd === undefined ? cut(child.offset, behind ?? end) : cut(previousEnd, end);
}

/** Writes another value in the place of one. */
export const replaceNode = (text: string, node: Node, value: unknown): string =>
  text.slice(0, node.offset) +
  jsonOf(value, indentAt(text, node.offset), formOf(text)) +
  text.slice(node.offset + node.length);

interface Form {
  readonly indent: string;
  readonly eol: string;
}

/** The indents and line ends that the file has; two blanks and a line feed where it has none. */
const formOf = (text: string): Form => ({
  indent: /^([\t ]+)\S/m.exec(text)?.[1] ?? '  ',
  eol: text.includes('\r\n') ? '\r\n' : '\n',
});

/** On lines of its own below `indent`, or on one. */
function jsonOf(value: unknown, indent: string | undefined, { indent: step, eol }: Form): string {
  if (indent === undefined) return JSON.stringify(value);
  return JSON.stringify(value, undefined, step).replaceAll('\n', eol + indent);
}

/** The blanks before the line that a place is on. */
const indentAt = (text: string, offset: number): string =>
  /^[\t ]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1))?.[0] ?? '';

/** The place behind the next comma, when only comments and blanks stand before it. */
function commaAfter(text: string, from: number, to: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(from);
  const kind = Number(scanner.scan());
  return kind === comma && scanner.getTokenOffset() < to ? scanner.getPosition() : undefined;
}

/** The end of the line behind a place, comments included; `close` where the container ends on that line. */
function lineEnd(text: string, from: number, close: number): number {
  const scanner = createScanner(text, false);
  scanner.setPosition(from);
  for (;;) {
    const kind = Number(scanner.scan());
    const at = scanner.getTokenOffset();
    if (at >= close || kind === token.end) return close;
    if (kind === 14) return at; // SyntaxKind.LineBreakTrivia
    if (kind !== 12 && kind !== 13 && kind !== 15) return at; // neither comment nor blank: the next child
  }
}
