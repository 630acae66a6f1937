import type { EffectsFacts, PermissionUnit } from '@toolgate/core';
import type { AnalysedCommand } from '../analyse.ts';
import type { Argument } from '../bash/expand.ts';
import type { ShellState } from '../bash/state.ts';
import type { VisitedRedirect, VisitedTest } from '../bash/walked.ts';
import type { Invocation } from '../forms/invocations.ts';
import { testedFiles } from '../read-only/builtins.ts';
import { judge } from '../read-only/judge.ts';
import { readOf } from '../read-only/spec.ts';
import { textCommands } from '../read-only/tables/text.ts';
import { literal, type Read } from '../read-only/verdict.ts';
import { literalPath } from './needs.ts';
import { unitsForPath } from './paths.ts';

/**
 * What a command reads, as units for the rules about paths. A command that is not read-only may still
 * hold readers, which a rule that allows it must not hide: `sudo cat .env`, `find -exec cat {} +`.
 */
export function readUnits(
  { visit, verdict }: AnalysedCommand,
  invocations: readonly Invocation[],
  facts: EffectsFacts,
): readonly PermissionUnit[] {
  if (!visit) return [];
  if (verdict.answer === 'read-only') return unitsIn(verdict.reads, visit.state, facts);
  return invocations.flatMap(({ words, state, input }, index) => {
    const inner = judge(words, { input, depth: 0 });
    if (inner.answer !== 'read-only') return unitsIn(namedFiles(words), state, facts);
    // What runs it may give it any of the names below the folder.
    const fed = index > 0 && words.some((word) => literal(word) === '{}');
    const reads = inner.reads.map((read) => ({ ...read, open: read.open || fed }));
    return unitsIn(reads, state, facts);
  });
}

/** The files that a plain reader names, when not all of its words are understood. */
function namedFiles(words: readonly Argument[]): readonly Read[] {
  const [first, ...rest] = words;
  const name = literal(first) ?? '';
  const spec = Object.hasOwn(textCommands, name) ? textCommands[name] : undefined;
  if (!spec || spec.skip !== undefined || spec.operands !== undefined) return [];
  return rest
    .filter((word) => !word.texts.some((text) => text.startsWith('-')))
    .map((word) => readOf(word, true));
}

/** The files that a test inside `[[ ]]` looks at. */
export const testReadUnits = (
  { operator, operands, state }: VisitedTest,
  facts: EffectsFacts,
): readonly PermissionUnit[] => unitsIn(testedFiles(operator, operands), state, facts);

/** The file that an input redirect opens. */
export function redirectReadUnits(
  { target, state }: VisitedRedirect,
  facts: EffectsFacts,
): readonly PermissionUnit[] {
  return target ? unitsIn([readOf(target, true)], state, facts) : [];
}

function unitsIn(
  reads: readonly Read[],
  state: ShellState,
  facts: EffectsFacts,
): readonly PermissionUnit[] {
  // Where it could stand anywhere, it could read anything.
  const folders = state.folders ?? ['/'];
  return reads.flatMap((read) => folders.flatMap((folder) => unitsForRead(read, folder, facts)));
}

function unitsForRead(read: Read, folder: string, facts: EffectsFacts): readonly PermissionUnit[] {
  const { argument, content } = read;
  if (argument?.process) return [];
  const from = read.from ? facts.resolve(literalPath(literal(read.from) ?? '/'), folder) : folder;
  const paths = argument
    ? pathsOf(argument)
    : [{ path: read.anywhere ? '/' : '.', open: read.open }];
  return (
    paths
      .flatMap(({ path, open }) => unitsForPath('Read', path, from, open || read.open, facts))
      // Names and sizes in the working folders are no secret; elsewhere the path rules decide.
      .filter(({ path }) => path !== '/dev/null')
      .filter((unit) => content || unit.open || !facts.isInside(unit.path ?? '/'))
  );
}

interface PathRead {
  readonly path: string;
  readonly open: boolean;
}

function pathsOf(argument: Argument): readonly PathRead[] {
  if (argument.kind === 'literal' || argument.kind === 'set')
    return argument.texts
      .filter((text) => text !== '')
      .map((path) => ({ path: path === '{}' ? '.' : path, open: false }));
  if (argument.climbs) return [{ path: '/', open: true }];
  // Where the unknown part at its start is empty, the path begins at the root.
  const isRooted = argument.emptied.startsWith('/') && argument.prefixes.includes('');
  return [
    ...argument.prefixes.map((prefix) => ({ path: folderOf(prefix), open: true })),
    ...(isRooted ? [{ path: argument.emptied, open: false }] : []),
  ];
}

/** The folder below which everything that begins with a prefix lies. */
const folderOf = (prefix: string): string => {
  const slash = prefix.lastIndexOf('/');
  return slash < 0 ? '.' : slash === 0 ? '/' : prefix.slice(0, slash);
};
