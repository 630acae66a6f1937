import type { Node } from 'jsonc-parser';

/** A property of an object node. */
export interface Property {
  readonly key: string;
  readonly keyOffset: number;
  readonly value: Node;
}

/** The properties of an object node in their order, those with a repeated key among them; none for other nodes. */
export function propertiesOf(node: Node | undefined): readonly Property[] {
  if (node?.type !== 'object') return [];
  return (node.children ?? []).flatMap((child) => {
    const [key, value] = child.children ?? [];
    if (typeof key?.value !== 'string' || !value) return [];
    return [{ key: key.value, keyOffset: key.offset, value }];
  });
}

/** The plain, frozen value of a node. A `__proto__` key is left out and reported. */
export function valueOf(node: Node, onProtoKey: (offset: number) => void): unknown {
  if (node.type === 'array')
    return Object.freeze((node.children ?? []).map((child) => valueOf(child, onProtoKey)));
  if (node.type !== 'object') return node.value;
  const value: Record<string, unknown> = {};
  for (const property of propertiesOf(node)) {
    if (property.key === '__proto__') onProtoKey(property.keyOffset);
    else value[property.key] = valueOf(property.value, onProtoKey);
  }
  return Object.freeze(value);
}

/** One more step of a JSON pointer (RFC 6901). */
export const pointerTo = (parent: string, key: string | number): string =>
  `${parent}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
