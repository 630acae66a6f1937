import type { Command } from 'commander';
import type { PolicyShowFlags } from './policy-show.ts';
import { joined, several } from './rule-lists.ts';
import { UsageError } from './usage-error.ts';

const repeat = (value: string, all: readonly string[] = []): readonly string[] => [...all, value];

/** `toolgate policy show`. */
export function addPolicy(parent: Command): void {
  const policy = parent
    .command('policy')
    .description('Shows the rules that are in force.')
    .helpCommand(false)
    .action(() => {
      throw new UsageError('policy what? policy show; see toolgate policy --help');
    });
  policy
    .command('show')
    .description(
      'Writes the mode, then the rules in order of effect (deny, ask, allow), each with its file and line, then what is held back and why.',
    )
    .allowExcessArguments(false)
    .option('--config <file>', 'an ES module whose default export is the options of createToolgate')
    .option('--settings <file>', 'a settings file of your own; may be repeated', repeat)
    .option('--allow <rule>', 'a further allow rule; may be repeated', repeat)
    .option('--ask <rule>', 'a further ask rule; may be repeated', repeat)
    .option('--deny <rule>', 'a further deny rule; may be repeated', repeat)
    .option('--allowedTools <rules>', '--allow, several in one', several)
    .option('--disallowedTools <rules>', '--deny, several in one', several)
    .option('--mode <mode>', 'the mode of the session')
    .option('--cwd <folder>', 'the working folder; this one without it')
    .option('--trust', 'let the settings of this folder loosen, not only tighten')
    .option('--text', 'write sentences instead of JSON')
    .action(async (flags: Partial<PolicyShowFlags>) => {
      const { policyShow } = await import('./policy-show.ts');
      const none = { settings: [], ask: [], cwd: process.cwd(), trust: false, text: false };
      process.exitCode = await policyShow({ allow: [], deny: [], ...none, ...joined(flags) });
    });
}
