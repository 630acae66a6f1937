/** An object of which a JSON text gives some key more than once: every pair, in order. */
export class Pairs {
  readonly pairs: readonly (readonly [string, unknown])[];
  constructor(pairs: Pairs['pairs']) {
    this.pairs = pairs;
  }
}

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** An object or, with `items`, a list that is not closed yet. */
interface Open {
  readonly pairs: [string, unknown][];
  readonly items?: unknown[];
  key?: string | undefined;
}

/**
 * Reads a valid JSON text and drops nothing: where `JSON.parse` takes the last of equal keys, the object
 * becomes `Pairs`. Readers differ in which of them they take, so such a text says nothing for certain.
 *
 * @returns The value, and a key that an object in it holds twice.
 */
export function readEvery(text: string): { readonly value: unknown; readonly doubled?: string } {
  // Without recursion: a text may be nested deeper than functions can call each other.
  const open: Open[] = [];
  let value: unknown;
  let doubled: string | undefined;
  const put = (found: unknown) => {
    const into = open.at(-1);
    if (!into) value = found;
    else if (into.items) into.items.push(found);
    else {
      into.pairs.push([into.key ?? '', found]);
      into.key = undefined;
    }
  };
  const close = ({ pairs, items }: Open) => {
    if (items) return put(items);
    const again = firstAgain(pairs);
    doubled ??= again;
    put(again === undefined ? Object.fromEntries(pairs) : new Pairs(pairs));
  };
  for (const [token] of text.matchAll(tokens)) {
    const inner = open.at(-1);
    if (token === '{') open.push({ pairs: [] });
    else if (token === '[') open.push({ pairs: [], items: [] });
    else if (token === '}' || token === ']') {
      open.pop();
      if (inner) close(inner);
    } else if (token !== ':' && token !== ',') {
      const found: unknown = JSON.parse(token);
      if (inner && !inner.items && inner.key === undefined) inner.key = String(found);
      else put(found);
    }
  }
  return { value, ...(doubled !== undefined && { doubled }) };
}

function firstAgain(pairs: Pairs['pairs']): string | undefined {
  const seen = new Set<string>();
  for (const [key] of pairs) {
    if (seen.has(key)) return key;
    seen.add(key);
  }
  return undefined;
}
