import { ruleText, type PermissionUpdate } from '@toolgate/core';
import { findNodeAtLocation, getNodeValue, parseTree, type Node } from 'jsonc-parser';
import { parseJsonc } from '../parse-jsonc.ts';
import { insertAtEnd, removeChild, replaceNode } from './edit-container.ts';

/**
 * A settings file's text with an update in it; everything else stays byte for byte: comments and what they stand
 * beside, order, indents, line ends, trailing commas, a byte-order mark.
 *
 * @throws Error for a text that is no valid settings file.
 */
export function editText(original: string, update: PermissionUpdate): string {
  const mark = original.startsWith('\uFEFF') ? '\uFEFF' : '';
  const text = original.slice(mark.length);
  const start = text.trim() === '' ? '{}\n' : text;
  const { problem, root } = parseJsonc(start);
  if (problem)
    throw new Error(
      `the file is no valid JSON (line ${problem.line}, column ${problem.column}: ${problem.message}); mend it first`,
    );
  if (root?.type !== 'object') throw new Error('the file does not hold one object; mend it first');
  return mark + edited(start, update);
}

function edited(text: string, update: PermissionUpdate): string {
  if (update.type === 'setMode') return set(text, 'defaultMode', update.mode);
  if ('directories' in update)
    return update.type === 'addDirectories'
      ? add(text, 'additionalDirectories', update.directories)
      : remove(text, 'additionalDirectories', update.directories);
  const texts = update.rules.map(ruleText);
  if (update.type === 'addRules') return add(text, update.behavior, texts);
  if (update.type === 'removeRules') return remove(text, update.behavior, texts);
  return set(text, update.behavior, texts);
}

/** Behind the last entry, one by one; what is there already is not written twice. */
function add(text: string, key: string, entries: readonly string[]): string {
  const list = listAt(text, key);
  const there: readonly unknown[] = list ? (getNodeValue(list) as readonly unknown[]) : []; // it is a list
  const missing = [...new Set(entries)].filter((entry) => !there.includes(entry));
  if (missing.length === 0) return text;
  if (!list) return set(text, key, missing);
  return missing.reduce((current, entry) => {
    const node = listAt(current, key);
    return node ? insertAtEnd(current, node, { value: entry }) : current;
  }, text);
}

function remove(text: string, key: string, entries: readonly string[]): string {
  let current = text;
  for (let list = listAt(current, key); list; list = listAt(current, key)) {
    const index = (list.children ?? []).findLastIndex(({ value }) =>
      entries.includes(String(value)),
    );
    if (index < 0) return current;
    current = removeChild(current, list, index);
  }
  return current;
}

/** Sets a key of `permissions`, which is made where it is missing. */
function set(text: string, key: string, value: unknown): string {
  const root = treeOf(text);
  const permissions = findNodeAtLocation(root, ['permissions']);
  if (!permissions) return insertAtEnd(text, root, { key: 'permissions', value: { [key]: value } });
  if (permissions.type !== 'object')
    throw new Error('"permissions" is no object in the file; mend it first');
  const node = findNodeAtLocation(permissions, [key]);
  return node ? replaceNode(text, node, value) : insertAtEnd(text, permissions, { key, value });
}

function listAt(text: string, key: string): Node | undefined {
  const node = findNodeAtLocation(treeOf(text), ['permissions', key]);
  if (node && node.type !== 'array')
    throw new Error(`"permissions.${key}" is no list in the file; mend it first`);
  return node;
}

function treeOf(text: string): Node {
  const root = parseTree(text, [], { allowTrailingComma: true });
  if (!root) throw new Error('the file holds nothing; mend it first');
  return root;
}
