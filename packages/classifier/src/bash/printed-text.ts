import type { Node } from './model.ts';
import type { Visit } from './walked.ts';

/** The text that the first command of a pipeline surely prints: a here-document or a constant. */
export function printedText(part: Node, visit: Visit | undefined): { readonly text?: string } {
  if (part.kind !== 'command' || !visit || visit.command !== part) return {};
  const [name, ...rest] = visit.arguments.map((one) =>
    one.kind === 'literal' ? one.texts[0] : undefined,
  );
  if (name === 'cat' && rest.length === 0 && visit.input.text !== undefined)
    return { text: visit.input.text };
  if ((name === 'echo' || name === 'printf') && rest.every((one) => one !== undefined))
    return { text: rest.join(' ') };
  return {};
}
