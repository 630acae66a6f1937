import { expandPieces, isNumber } from './expand.ts';
import type { Word } from './model.ts';
import type { ShellState } from './state.ts';

/** Why one test inside `[[ ]]` may run code or print a secret. */
export function testTrouble(
  test: { readonly operator: string; readonly operands: readonly Word[] },
  expansion: { readonly home: string; readonly state: ShellState },
): string | undefined {
  const operands = test.operands.map((word) =>
    expandPieces(word.pieces, word.text, expansion, true),
  );
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
