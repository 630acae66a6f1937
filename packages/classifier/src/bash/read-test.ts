import { expandPieces, isNumber, type Argument, type Expansion } from './expand.ts';
import type { Test } from './model.ts';

/** The operands of one test inside `[[ ]]`, and why it may run code or print a secret. */
export function readTest(
  test: Test,
  expansion: Expansion,
): { readonly operands: readonly Argument[]; readonly trouble: string | undefined } {
  const operands = test.operands.map((word) =>
    expandPieces(word.pieces, word.text, expansion, true),
  );
  return { operands, trouble: troubleIn(test, operands, expansion) };
}

function troubleIn(
  test: Test,
  operands: readonly Argument[],
  expansion: Expansion,
): string | undefined {
  const trouble = operands.find((operand) => operand.trouble)?.trouble;
  if (trouble) return trouble;
  // These evaluate their operands: a subscript in one runs its command substitution.
  if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(test.operator)) {
    const numbers = test.operands.every((word, index) =>
      (operands[index]?.texts.length ?? 0) > 0
        ? operands[index]?.texts.every((text) => /^-?\d+$/.test(text))
        : word.pieces.every(
            (piece) => piece.kind === 'variable' && isNumber(piece.name, expansion.state),
          ),
    );
    return numbers ? undefined : `[[ ${test.operator} ]] evaluates what it compares.`;
  }
  if (/^-[vR]$/.test(test.operator)) {
    const plain = operands.every(
      (one) => one.kind === 'literal' && /^\w+$/.test(one.texts[0] ?? ''),
    );
    return plain ? undefined : `[[ ${test.operator} ]] evaluates a subscript.`;
  }
  return test.operator === 'unknown' ? 'A test is not understood.' : undefined;
}
