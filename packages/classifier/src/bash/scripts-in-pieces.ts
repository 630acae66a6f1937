import type { Arithmetic, Piece, Script, Word } from './model.ts';

const inWords = (words: readonly Word[]): readonly Script[] =>
  words.flatMap((word) => scriptsInPieces(word.pieces));

const inArithmetic = (one: Arithmetic): readonly Script[] => [
  ...inWords(one.words),
  ...one.scripts,
];

/** The scripts that run when pieces of a word are expanded, in the order they stand. */
export function scriptsInPieces(pieces: readonly Piece[]): readonly Script[] {
  return pieces.flatMap((piece) => {
    switch (piece.kind) {
      case 'text':
      case 'glob':
      case 'tilde':
        return [];
      case 'command':
      case 'process':
        return [piece.script];
      case 'arithmetic':
        return inArithmetic(piece.arithmetic);
      case 'variable':
        return inWords(piece.words);
      case 'unknown':
        return [...inWords(piece.words), ...piece.scripts];
      case 'brace':
        return piece.alternatives.flatMap((one) => scriptsInPieces(one));
    }
  });
}
