import { dirname, isAbsolute, join } from 'node:path';
import type { EffectsFacts, PermissionUnit } from '@toolgate/core';
import { literalPath } from './needs.ts';

/**
 * Units for a path as a program opens it. The system follows a link before it goes up with `..`, which a
 * path read as text does not show; when the two differ both are units.
 */
export function unitsForPath(
  tool: 'Read' | 'Edit',
  path: string,
  from: string,
  open: boolean,
  facts: EffectsFacts,
): readonly PermissionUnit[] {
  const base = from === facts.cwd ? from : facts.realPath(from);
  const plain = facts.pathUnit(tool, literalPath(path === '' ? '.' : path), { from: base, open });
  if (!/(?:^|\/)[^/]+\/+\.\.(?:\/|$)/.test(path) && base === from) return [plain];
  const physical = physicalPath(path, from, facts);
  const unit = facts.pathUnit(tool, physical, { from: base, open });
  return unit.path === plain.path ? [plain] : [plain, unit];
}

function physicalPath(path: string, from: string, facts: EffectsFacts): string {
  let at = isAbsolute(path) ? '/' : facts.realPath(from);
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    at = segment === '..' ? dirname(facts.realPath(at)) : join(at, segment);
  }
  return at;
}
