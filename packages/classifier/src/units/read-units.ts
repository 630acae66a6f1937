import type { EffectsFacts, PermissionUnit } from '@toolgate/core';
import type { AnalysedCommand } from '../analyse.ts';
import type { Argument } from '../bash/expand.ts';
import type { VisitedRedirect } from '../bash/walked.ts';
import { literal, type Read } from '../read-only/verdict.ts';
import { literalPath } from './needs.ts';
import { unitsForPath } from './paths.ts';

/** What a read-only command reads, as units for the rules about paths. */
export function readUnits(
  { visit, verdict }: AnalysedCommand,
  facts: EffectsFacts,
): readonly PermissionUnit[] {
  if (!visit || verdict.answer !== 'read-only') return [];
  // Where it could stand anywhere, it could read anything.
  const folders = visit.state.folders ?? ['/'];
  return verdict.reads.flatMap((read) =>
    folders.flatMap((folder) => unitsForRead(read, folder, facts)),
  );
}

/** The file that an input redirect opens. */
export function redirectReadUnits(
  { target, state }: VisitedRedirect,
  facts: EffectsFacts,
): readonly PermissionUnit[] {
  if (!target || target.process) return [];
  return (state.folders ?? ['/']).flatMap((folder) =>
    unitsForRead(
      {
        argument: target,
        content: true,
        open: target.kind === 'dynamic' || target.kind === 'glob',
      },
      folder,
      facts,
    ),
  );
}

function unitsForRead(read: Read, folder: string, facts: EffectsFacts): readonly PermissionUnit[] {
  const { argument, content } = read;
  if (argument?.process) return [];
  const from = read.from ? facts.resolve(literalPath(literal(read.from) ?? '/'), folder) : folder;
  const paths = argument ? pathsOf(argument) : [{ path: '.', open: read.open }];
  return (
    paths
      .flatMap(({ path, open }) => unitsForPath('Read', path, from, open || read.open, facts))
      // Names and sizes in the working folders are no secret; elsewhere the path rules decide.
      .filter((unit) => content || unit.open || !facts.isInside(unit.path ?? '/'))
  );
}

interface PathRead {
  readonly path: string;
  readonly open: boolean;
}

function pathsOf(argument: Argument): readonly PathRead[] {
  if (argument.kind === 'literal' || argument.kind === 'set')
    return argument.texts.filter((text) => text !== '').map((path) => ({ path, open: false }));
  if (argument.climbs) return [{ path: '/', open: true }];
  return argument.prefixes.map((prefix) => ({ path: folderOf(prefix), open: true }));
}

/** The folder below which everything that begins with a prefix lies. */
const folderOf = (prefix: string): string => {
  const slash = prefix.lastIndexOf('/');
  return slash < 0 ? '.' : slash === 0 ? '/' : prefix.slice(0, slash);
};
