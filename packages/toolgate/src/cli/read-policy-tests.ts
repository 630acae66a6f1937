import { readFile, stat } from 'node:fs/promises';
import { didYouMean } from '@toolgate/core';
import { policyTestsSchema, type PolicyTest } from '@toolgate/permissions';
import { isMap, isNode, isSeq, LineCounter, parseDocument, type Document } from 'yaml';
import { UsageError } from './usage-error.ts';

/** A policy test with the line it stands on. */
export interface PlacedTest extends PolicyTest {
  readonly line: number;
}

const keys = ['name', 'tool', 'input', 'cwd', 'mode', 'expect', 'rule'];
const maxBytes = 10_000_000;

/**
 * Reads a list of policy tests from YAML or JSON.
 *
 * @throws UsageError with the place of the first mistake, and how many there are.
 */
export async function readPolicyTests(file: string): Promise<readonly PlacedTest[]> {
  const lines = new LineCounter();
  const document = parsed(await textOf(file), file, lines);
  const value = plain(document, file);
  if (!Array.isArray(value))
    throw new UsageError(
      `${file}:1: policy tests are a list of { ${keys.slice(0, 3).join(', ')}, expect }`,
    );
  const lineOf = (path: readonly PropertyKey[]) => lineIn(document, path, lines);
  const read = policyTestsSchema.safeParse(value);
  if (read.success) return read.data.map((test, index) => ({ ...test, line: lineOf([index]) }));
  // A misspelled key leaves another one missing; the misspelling is what to say.
  const { issues } = read.error;
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  const rest = issues.length - 1;
  const more = rest > 0 ? ` (and ${rest} more ${rest === 1 ? 'mistake' : 'mistakes'})` : '';
  if (!issue) throw new UsageError(`${file}: these are no policy tests`);
  throw new UsageError(`${file}:${lineOf(issue.path)}: ${described(issue, value)}${more}`);
}

async function textOf(file: string): Promise<string> {
  const found = await stat(file).catch(() => undefined);
  if (!found) throw new UsageError(`cannot read ${file}: there is no such file`);
  if (!found.isFile()) throw new UsageError(`cannot read ${file}: it is no file`);
  if (found.size > maxBytes) throw new UsageError(`cannot read ${file}: it is larger than 10 MB`);
  return readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`cannot read ${file}: ${error instanceof Error ? error.message : ''}`);
  });
}

/** JSON is YAML as well, so one parser reads both. */
function parsed(text: string, file: string, lineCounter: LineCounter): Document {
  const document = parseDocument(text.replace(/^\ufeff/, ''), { lineCounter, prettyErrors: false });
  const [error] = document.errors;
  if (error) {
    const { line, col } = lineCounter.linePos(error.pos[0]);
    throw new UsageError(`${file}:${line}:${col}: ${error.message.split('\n', 1)[0] ?? ''}`);
  }
  return document;
}

function plain(document: Document, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw new UsageError(`${file}: ${error instanceof Error ? error.message : 'cannot be read'}`);
  }
}

/** The line of the nearest node on the way to a place. */
function lineIn(document: Document, path: readonly PropertyKey[], lines: LineCounter): number {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    const at = isNode(node) ? node.range?.[0] : undefined;
    if (at !== undefined && (length > 0 || isSeq(node) || isMap(node)))
      return lines.linePos(at).line;
  }
  return 1;
}

function described(
  issue: {
    readonly path: readonly PropertyKey[];
    readonly message: string;
    readonly keys?: unknown;
  },
  tests: readonly unknown[],
): string {
  const [index, ...rest] = issue.path;
  const test: unknown = typeof index === 'number' ? tests[index] : undefined;
  const name: unknown =
    typeof test === 'object' && test !== null ? Reflect.get(test, 'name') : undefined;
  const which = `test ${Number(index) + 1}${typeof name === 'string' ? ` ("${name}")` : ''}`;
  const [unknown] = Array.isArray(issue.keys) ? issue.keys.map(String) : [];
  if (unknown !== undefined)
    return `${which}: unknown key "${unknown}".${didYouMean(unknown, keys) || ` The keys are ${keys.join(', ')}.`}`;
  return `${which}: ${rest.length > 0 ? `"${rest.join('.')}" ` : ''}${issue.message}`;
}
