import type { Command } from 'commander';
import type { TrustFlags } from './trust.ts';

/** `toolgate trust`. */
export function addTrust(parent: Command): void {
  parent
    .command('trust')
    .description(
      'Records that you trust a folder: its own settings, hooks and servers may then loosen, not only tighten.',
    )
    .argument('[folder]', 'the folder; this one without it')
    .allowExcessArguments(false)
    .option('--revoke', 'take the trust back')
    .option('--list', 'write the folders that are trusted, one a line')
    .action(async (folder: string | undefined, flags: Partial<TrustFlags>) => {
      const { trust } = await import('./trust.ts');
      process.exitCode = await trust(folder, flags);
    });
}
