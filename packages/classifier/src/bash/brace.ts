const most = 1000;

/**
 * Expands one brace expression such as `{a,b{1,2}}` or `{1..5}`.
 *
 * @returns the alternatives as source text, or `undefined` when it holds quoting, expansions, parentheses or more
 *   than 1,000 members.
 */
export function expandBrace(source: string): readonly string[] | undefined {
  if (/["'\\$`()]/.test(source)) return undefined;
  const inner = source.slice(1, -1);
  const range = /^(-?\d+|[a-z]|[A-Z])\.\.(-?\d+|[a-z]|[A-Z])(?:\.\.(-?\d+))?$/.exec(inner);
  if (range) return expandRange(range[1] ?? '', range[2] ?? '', range[3]);
  const members = splitMembers(inner);
  if (members.length < 2) return undefined;
  const all: string[] = [];
  for (const member of members) {
    const expanded = expandAll(member);
    if (!expanded || all.length + expanded.length > most) return undefined;
    all.push(...expanded);
  }
  return all;
}

function splitMembers(inner: string): readonly string[] {
  const members: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < inner.length; at += 1) {
    if (inner[at] === '{') depth += 1;
    else if (inner[at] === '}') depth -= 1;
    else if (inner[at] === ',' && depth === 0) {
      members.push(inner.slice(from, at));
      from = at + 1;
    }
  }
  return [...members, inner.slice(from)];
}

/** Expands a member that may hold brace expressions of its own. */
function expandAll(text: string): readonly string[] | undefined {
  const open = text.indexOf('{');
  if (open < 0) return text.includes('}') ? undefined : [text];
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1;
    if (text[at] === '}') depth -= 1;
    if (depth > 0) continue;
    const middle = expandBrace(text.slice(open, at + 1));
    const rest = expandAll(text.slice(at + 1));
    if (!middle || !rest || middle.length * rest.length > most) return undefined;
    return middle.flatMap((one) => rest.map((end) => text.slice(0, open) + one + end));
  }
  return undefined;
}

function expandRange(first: string, last: string, step: string | undefined) {
  const letters = /[a-z]/i.test(first);
  if (letters !== /[a-z]/i.test(last)) return undefined;
  // Between Z and a lie characters with a meaning of their own, and 01 pads: neither is worth following.
  if (letters && first < 'a' !== last < 'a') return undefined;
  if (/^-?0\d/.test(first) || /^-?0\d/.test(last)) return undefined;
  const from = letters ? first.charCodeAt(0) : Number(first);
  const to = letters ? last.charCodeAt(0) : Number(last);
  const by = Math.abs(Number(step ?? 1)) || 1;
  if (Math.abs(to - from) / by > most) return undefined;
  const all: string[] = [];
  for (let at = from; from <= to ? at <= to : at >= to; at += from <= to ? by : -by)
    all.push(letters ? String.fromCharCode(at) : String(at));
  return all;
}
