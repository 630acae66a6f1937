/** The most patterns that one rule may stand for. */
const most = 200;

/**
 * The patterns that a path with `{a,b}` would stand for in a shell, innermost braces first; none for a path without
 * alternatives, or with too many. gitignore knows no braces, so only deny and ask rules are read so as well.
 */
export function braceAlternatives(path: string): readonly string[] {
  let all: readonly string[] = [path];
  for (;;) {
    const next = all.flatMap((each) => {
      const [whole, inside] = /(?<!\\)\{([^{}]*,[^{}]*)\}/.exec(each) ?? [];
      if (whole === undefined || inside === undefined) return [each];
      const at = each.indexOf(whole);
      const [before, after] = [each.slice(0, at), each.slice(at + whole.length)];
      return inside.split(',').map((part) => before + part + after);
    });
    if (next.length > most) return [];
    if (next.length === all.length) return all.length > 1 ? all : [];
    all = next;
  }
}
