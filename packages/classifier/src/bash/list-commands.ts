import { scriptsInPieces } from './scripts-in-pieces.ts';
import type { Arithmetic, Node, Piece, Redirect, Script, SimpleCommand, Word } from './model.ts';

/**
 * Every simple command of a script, nested ones too, in the order of a pre-order walk.
 *
 * @param bare  Also those without words: assignments and redirects alone.
 */
export function listCommands(
  script: Script,
  { bare = false }: { readonly bare?: boolean } = {},
): readonly SimpleCommand[] {
  const found: SimpleCommand[] = [];
  const nodes = (list: readonly Node[]): void => list.forEach((one) => node(one));
  const scripts = (list: readonly Script[]): void => list.forEach((one) => nodes(one.nodes));
  const pieces = (list: readonly Piece[]): void => scripts(scriptsInPieces(list));
  const words = (list: readonly Word[]): void => list.forEach((one) => pieces(one.pieces));
  const arithmetic = (one: Arithmetic): void => {
    words(one.words);
    scripts(one.scripts);
  };
  const redirect = (one: Redirect): void => {
    if (one.target) pieces(one.target.pieces);
    if (one.body) pieces(one.body.pieces);
  };
  const command = (one: SimpleCommand): void => {
    if (bare || one.words.length > 0) found.push(one);
    const parts = [
      ...one.words.map((part) => ({ at: part.at, visit: () => pieces(part.pieces) })),
      ...one.assignments.map((part) => ({ at: part.at, visit: () => words(part.words) })),
      ...one.redirects.map((part) => ({ at: part.at, visit: () => redirect(part) })),
    ];
    for (const part of parts.sort((a, b) => a.at - b.at)) part.visit();
  };
  const node = (one: Node): void => {
    switch (one.kind) {
      case 'command':
        command(one);
        break;
      case 'and-or':
      case 'pipeline':
        nodes(one.parts);
        break;
      case 'group':
      case 'subshell':
        nodes(one.body);
        break;
      case 'background':
      case 'coprocess':
      case 'function':
        node(one.body);
        break;
      case 'redirected':
        node(one.body);
        one.redirects.forEach((part) => redirect(part));
        break;
      case 'if':
        for (const branch of one.branches) {
          nodes(branch.test);
          nodes(branch.body);
        }
        nodes(one.otherwise);
        break;
      case 'for':
      case 'select':
        words(one.words ?? []);
        nodes(one.body);
        break;
      case 'count':
        for (const part of [one.first, one.test, one.next]) arithmetic(part);
        nodes(one.body);
        break;
      case 'while':
        nodes(one.test);
        nodes(one.body);
        break;
      case 'case':
        pieces(one.word.pieces);
        for (const item of one.items) {
          words(item.patterns);
          nodes(item.body);
        }
        break;
      case 'test':
        one.tests.forEach((test) => words(test.operands));
        break;
      case 'arithmetic':
        arithmetic(one.arithmetic);
        break;
    }
  };
  nodes(script.nodes);
  return found;
}
