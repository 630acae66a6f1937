import type { Command } from 'commander';
import type { HooksFlags } from './hooks-list.ts';
import type { HooksRunFlags } from './hooks-run.ts';
import { UsageError } from './usage-error.ts';

const repeat = (value: string, all: readonly string[] = []): readonly string[] => [...all, value];
const none: HooksFlags = { settings: [], cwd: process.cwd(), trust: false, text: false };

/** The verbs for people who write hooks. */
export function addHooks(parent: Command): void {
  const hooks = parent
    .command('hooks')
    .description('Lists the hooks of the settings, or runs those of one event.')
    .helpCommand(false)
    .action(() => {
      throw new UsageError('hooks what? hooks list or hooks run; see toolgate hooks --help');
    });
  shared(
    hooks
      .command('list')
      .description(
        'Lists the hooks that would run, one a line, in the order of the settings, each with its file.',
      )
      .allowExcessArguments(false)
      .option('--event <event>', 'of one event alone, such as PreToolUse')
      .option('--tool <name>', 'those whose matcher means this tool'),
  ).action(async (flags: Partial<HooksFlags & { readonly event: string }>) => {
    const { hooksList } = await import('./hooks-list.ts');
    process.exitCode = await hooksList({ ...none, ...flags });
  });
  shared(
    hooks
      .command('run')
      .description(
        'Runs the real hooks of one event and prints how each ended, then what they come to. No tool runs.',
      )
      .argument('<event>', 'such as PreToolUse or SessionStart')
      .allowExcessArguments(false)
      .option('--tool <name>', 'the tool that is called; its matchers and input schema count')
      .option('--input <json>', 'the input of the tool, or the fields of another event', '{}')
      .option('--response <json>', 'what the tool is said to have given, for PostToolUse')
      .option('--error <text>', 'what the tool is said to have failed with')
      .option('--config <file>', 'an ES module whose "model" and "mcp" the hooks get'),
  )
    .addHelpText(
      'after',
      `\nExample: toolgate hooks run PreToolUse --tool Bash --input '{"command":"git push"}'`,
    )
    .action(async (event: string, flags: Partial<HooksRunFlags>) => {
      const { hooksRun } = await import('./hooks-run.ts');
      process.exitCode = await hooksRun(event, { ...none, input: '{}', ...flags });
    });
}

const shared = (command: Command): Command =>
  command
    .option('--settings <file>', 'a settings file of your own; may be repeated', repeat)
    .option('--cwd <folder>', 'the working folder; this one without it')
    .option('--trust', 'let the hooks of this folder run, too')
    .option('--text', 'write sentences instead of JSON');
