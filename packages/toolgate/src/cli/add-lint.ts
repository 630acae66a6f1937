import { Option, type Command } from 'commander';
import type { LintFlags } from './lint.ts';

/** `toolgate lint`. */
export function addLint(parent: Command): void {
  parent
    .command('lint')
    .description(
      'Says what in settings files does not do what it says, with the place and a fix for each.\nWithout files: those of this folder, of the user and of the organisation that exist.',
    )
    .argument('[files...]', 'settings files')
    .addOption(
      new Option('--format <format>', 'how findings are written')
        .choices(['text', 'jsonl', 'sarif', 'github'])
        .default('text'),
    )
    .option('--fix', 'make the changes that are certain; comments stay, and no rule allows more')
    .option('--cwd <folder>', 'the working folder; this one without it')
    .addHelpText(
      'after',
      '\nExit 1 when there are errors or warnings; an info alone is no finding to fail for. The codes: docs/lint.md.',
    )
    .action(async (files: readonly string[], flags: Partial<LintFlags>) => {
      const { lint } = await import('./lint.ts');
      const none = { format: 'text', fix: false, cwd: process.cwd() } as const;
      process.exitCode = await lint(files, { ...none, ...flags });
    });
}
