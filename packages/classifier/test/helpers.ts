import { effectsFacts, type EffectsFacts, type PermissionUnit } from '@toolgate/core';
import { bashEffects } from '../src/index.ts';

/** Facts of a made-up project; `links` are the links there are. */
export function projectFacts(
  options: {
    readonly links?: Readonly<Record<string, string>>;
    readonly gitIsClean?: boolean;
  } = {},
): EffectsFacts {
  const { links = {}, gitIsClean = true } = options;
  const realPath = (path: string): string => {
    for (const [link, target] of Object.entries(links))
      if (path === link || path.startsWith(`${link}/`)) return target + path.slice(link.length);
    return path;
  };
  return effectsFacts({
    cwd: '/home/dev/app',
    directories: ['/home/dev/app'],
    facts: {
      home: '/home/dev',
      realPath,
      folderIdentity: () => undefined,
      holds: () => gitIsClean,
    },
  });
}

/** The effects of a command in the made-up project. */
export const effectsOf = (command: string, facts: EffectsFacts = projectFacts()) =>
  bashEffects({ command }, facts, { environmentNames: [] });

export const unitsOf = (
  command: string,
  tool: string,
  facts?: EffectsFacts,
): readonly PermissionUnit[] =>
  (effectsOf(command, facts).units ?? []).filter((unit) => unit.tool === tool);

/** The paths of the Read or Edit units of a command; open ones end in `/…`. */
export const pathsOf = (
  command: string,
  tool: 'Read' | 'Edit',
  facts?: EffectsFacts,
): readonly string[] =>
  unitsOf(command, tool, facts).map((unit) => `${unit.path}${unit.open ? '/…' : ''}`);
