import { homedir } from 'node:os';
import { distrustFolder, trustedFolders, trustFolder } from '@toolgate/settings';
import { existingFolder } from './make-gate.ts';
import { writeLine } from './output.ts';
import { UsageError } from './usage-error.ts';

/** The flags of `trust`. */
export interface TrustFlags {
  readonly revoke: boolean;
  readonly list: boolean;
}

/** `toolgate trust`. Trust is of exactly one folder, by its real path. Answers with the exit code. */
export async function trust(
  folder: string | undefined,
  { revoke = false, list = false }: Partial<TrustFlags>,
): Promise<number> {
  const home = homedir();
  if (list) {
    if (revoke || folder !== undefined)
      throw new UsageError('--list takes no folder and no --revoke');
    for (const path of trustedFolders(home)) await writeLine({ folder: path, trusted: true });
    return 0;
  }
  const named = folder ?? process.cwd();
  if (revoke) {
    if (!(await distrustFolder(home, named))) throw new UsageError(`${named} was not trusted`);
    await writeLine({ folder: named, trusted: false });
    return 0;
  }
  await writeLine({ folder: await trustFolder(home, await existingFolder(named)), trusted: true });
  return 0;
}
