import type { LintEdit } from '@toolgate/core';
import { createScanner, findNodeAtLocation, type Node } from 'jsonc-parser';
import { parseJsonc, token } from '../parse-jsonc.ts';
import { removeChild, replaceNode } from '../save/edit-container.ts';
import { pathOf } from './path-of.ts';

/** One change, and where it is to be made. */
export interface PlacedEdit {
  readonly pointer: string;
  readonly edit: LintEdit;
}

/** A text with changes in it. */
export interface FixedSettings {
  readonly text: string;
  /** The edits that were made; the others would have cost a comment or had no place any more. */
  readonly made: readonly PlacedEdit[];
}

/**
 * A settings file's text with changes in it; everything else stays byte for byte, comments among it. Of several
 * changes of one place the first is made. A text that is no valid settings file stays as it is.
 */
export function fixSettings(original: string, edits: readonly PlacedEdit[]): FixedSettings {
  const mark = original.startsWith('\uFEFF') ? '\uFEFF' : '';
  let text = original.slice(mark.length);
  const { root, problem } = parseJsonc(text);
  if (problem || !root) return { text: original, made: [] };
  const places = new Map<string, { readonly placed: PlacedEdit; readonly offset: number }>();
  for (const placed of edits) {
    const node = nodeAt(root, placed.pointer);
    if (node && !places.has(placed.pointer))
      places.set(placed.pointer, { placed, offset: node.offset });
  }
  const made: PlacedEdit[] = [];
  // From the end, so that the pointers of what is still to be done hold.
  for (const { placed } of [...places.values()].toSorted((a, b) => b.offset - a.offset)) {
    const tree = parseJsonc(text).root;
    const node = tree && nodeAt(tree, placed.pointer);
    const next = node ? edited(text, node, placed.edit) : undefined;
    if (next === undefined || parseJsonc(next).problem) continue;
    text = next;
    made.push(placed);
  }
  return { text: mark + text, made };
}

const nodeAt = (root: Node, pointer: string): Node | undefined =>
  findNodeAtLocation(root, pathOf(pointer));

function edited(text: string, node: Node, edit: LintEdit): string | undefined {
  const property = node.parent?.type === 'property' ? node.parent : undefined;
  const child = property ?? node;
  if (edit.op === 'rename') {
    const key = property?.children?.[0];
    return key && replaceNode(text, key, edit.key);
  }
  if (hasComment(text, child)) return undefined;
  if (edit.op === 'replace') return replaceNode(text, node, edit.value);
  const container = child.parent;
  const index = container?.children?.indexOf(child) ?? -1;
  return container && index >= 0 ? removeChild(text, container, index) : undefined;
}

/** True when a comment stands inside a node; writing the node anew would lose it. */
function hasComment(text: string, { offset, length }: Node): boolean {
  const scanner = createScanner(text.slice(offset, offset + length), false);
  for (let kind = Number(scanner.scan()); kind !== token.end; kind = Number(scanner.scan()))
    if (kind === 12 || kind === 13) return true; // SyntaxKind's two kinds of comments
  return false;
}
