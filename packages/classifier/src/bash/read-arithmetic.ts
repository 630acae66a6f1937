import type { Arithmetic, Piece, Script } from './model.ts';
import type { Tree } from './parse.ts';

interface Nested {
  script(script: Tree.ParsedScript | undefined): Script;
  pieces(parts: readonly Tree.WordPart[]): readonly Piece[];
}

/** Makes the part of the adapter that reads arithmetic. */
export function createArithmeticReader(
  nested: Nested,
): (expression: Tree.ArithmeticExpression | undefined) => Arithmetic {
  const arithmetic = (expression: Tree.ArithmeticExpression | undefined): Arithmetic => {
    if (!expression) return emptyArithmetic;
    switch (expression.type) {
      case 'ArithmeticBinary': {
        const assigns = /^(?:[^=!<>]|<<|>>)?=$/.test(expression.operator);
        return joinArithmetic([
          // A plain `=` does not read what it sets; every other assignment does.
          ...(expression.operator === '=' ? [] : [arithmetic(expression.left)]),
          arithmetic(expression.right),
          ...(assigns ? [assignsTo(expression.left)] : []),
        ]);
      }
      case 'ArithmeticUnary':
        return joinArithmetic([
          arithmetic(expression.operand),
          ...(/^(?:\+\+|--)$/.test(expression.operator) ? [assignsTo(expression.operand)] : []),
        ]);
      case 'ArithmeticTernary':
        return joinArithmetic(
          [expression.test, expression.consequent, expression.alternate].map((part) =>
            arithmetic(part),
          ),
        );
      case 'ArithmeticGroup':
        return arithmetic(expression.expression);
      case 'ArithmeticCommandExpansion':
        return { ...emptyArithmetic, plain: false, scripts: [nested.script(expression.script)] };
      case 'ArithmeticWord':
        return arithmeticWord(expression);
      default:
        return { ...emptyArithmetic, plain: false };
    }
  };

  const arithmeticWord = (word: Tree.ArithmeticWord): Arithmetic => {
    const parts = word.parts
      ? [{ text: word.value, at: word.pos, pieces: nested.pieces(word.parts) }]
      : [];
    const value = word.value.trim();
    if (/^(?:\d+|0[xX][\da-fA-F]+|)$/.test(value)) return { ...emptyArithmetic, words: parts };
    const name = /^(?:\$?([A-Za-z_]\w*|[#?])|\$\{([A-Za-z_]\w*)\})$/.exec(value);
    const found = name?.[1] ?? name?.[2];
    return {
      ...emptyArithmetic,
      plain: found !== undefined,
      names: found === undefined ? [] : [found],
      words: parts,
    };
  };

  return arithmetic;
}

const emptyArithmetic: Arithmetic = { plain: true, names: [], assigns: [], words: [], scripts: [] };

function assignsTo(target: Tree.ArithmeticExpression): Arithmetic {
  const name = target.type === 'ArithmeticWord' && /^[A-Za-z_]\w*$/.exec(target.value.trim());
  return name ? { ...emptyArithmetic, assigns: [name[0]] } : { ...emptyArithmetic, plain: false };
}

function joinArithmetic(parts: readonly Arithmetic[]): Arithmetic {
  return {
    plain: parts.every((part) => part.plain),
    names: parts.flatMap((part) => part.names),
    assigns: parts.flatMap((part) => part.assigns),
    words: parts.flatMap((part) => part.words),
    scripts: parts.flatMap((part) => part.scripts),
  };
}
