import type { Argument } from '../bash/expand.ts';
import type { SimpleCommand } from '../bash/model.ts';
import type { Invocation } from './invocations.ts';

/** Every text of a command that deny and ask rules compare with. */
export function readingsOf(
  command: SimpleCommand,
  invocations: readonly Invocation[],
): readonly string[] {
  const texts = new Set<string>();
  const source = command.words.map((word) => word.text).join(' ');
  texts.add(source);
  if (command.redirects.length > 0) {
    const redirects = command.redirects.map(({ operator, descriptor, target }) =>
      `${descriptor ?? ''}${operator} ${target?.text ?? ''}`.trim(),
    );
    texts.add([source, ...redirects].join(' ').trim());
  }
  for (const { words } of invocations) {
    texts.add(words.map((word) => word.source).join(' '));
    texts.add(words.map((word) => valueOf(word)).join(' '));
  }
  texts.delete('');
  return [...texts];
}

const valueOf = (word: Argument): string =>
  word.kind === 'literal'
    ? (word.texts[0] ?? '')
    : word.texts.length > 0 && word.kind === 'glob'
      ? (word.texts[0] ?? '')
      : word.source;
