import { readFileSync } from 'node:fs';
import { isToolgateError } from '@toolgate/core';
import { Command, CommanderError } from 'commander';
import { addAudit } from './add-audit.ts';
import { addHooks } from './add-hooks.ts';
import { addLint } from './add-lint.ts';
import { addPolicy } from './add-policy.ts';
import { addTrust } from './add-trust.ts';
import type { ExplainFlags } from './explain.ts';
import { joined, several } from './rule-lists.ts';
import { say } from './output.ts';
import type { ReplayFlags } from './replay.ts';
import type { RunFlags } from './run.ts';
import type { PolicyFlags } from './test.ts';
import { UsageError } from './usage-error.ts';

const repeat = (value: string, all: readonly string[] = []): readonly string[] => [...all, value];
/** The flags that were not given. */
const none: RunFlags = {
  settings: [],
  allow: [],
  ask: [],
  deny: [],
  cwd: process.cwd(),
  trust: false,
  events: false,
  prompt: false,
};
const verbs = 'run, explain, classify, lint, test, replay, hooks, policy, trust and audit';

/** The command `toolgate`. Sets the exit code: 0 done, 1 findings, 2 bad usage or input, 130 interrupted. */
export async function main(args: readonly string[]): Promise<void> {
  process.stdout.on('error', onOutputError);
  process.once('beforeExit', onNothingLeft);
  try {
    await program().parseAsync([...args], { from: 'user' });
  } catch (error) {
    process.exitCode = exitCodeOf(error);
  }
  process.off('beforeExit', onNothingLeft);
}

/** A reader that has read enough is no mistake; an output that cannot be written is one. */
function onOutputError(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') {
    say(`cannot write the output: ${error.message}`);
    process.exitCode = 2;
  }
  process.exit();
}

/** Something is waited for that will never come. */
function onNothingLeft(): void {
  say('stopped: something that was loaded waits for ever, such as a promise in a config module');
  process.exit(2);
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof UsageError || isToolgateError(error)) say(error.message);
  else
    say(
      `a fault of toolgate itself: ${error instanceof Error ? error.message : String(error)}. Please report it.`,
    );
  return 2;
}

function program(): Command {
  const command = new Command('toolgate')
    .description(
      'Runs, decides and explains the tool calls of an AI agent.\nReads JSON Lines from FILE or standard input, writes JSON Lines to standard output.',
    )
    .version(version(), '--version', 'print the version')
    .helpOption('--help', 'show this help')
    .helpCommand(false)
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({
      outputError: (text) =>
        say(
          text
            .trim()
            .replace(/^error: /, '')
            .replaceAll('\n', ' '),
        ),
    })
    .addHelpText(
      'after',
      '\nExit codes: 0 done, 1 findings, 2 bad usage or input, 130 interrupted.',
    );
  command.argument('[verb]').action((verb: string | undefined) => {
    if (verb === undefined) throw new UsageError(`which verb? ${verbs}; see toolgate --help`);
    command.error(`unknown command '${verb}'; the verbs are ${verbs}`);
  });
  addRun(command);
  addExplain(command);
  addClassify(command);
  addLint(command);
  addTest(command);
  addReplay(command);
  addHooks(command);
  addPolicy(command);
  addTrust(command);
  addAudit(command);
  return command;
}

function addRun(parent: Command): void {
  verb(
    parent,
    'run',
    'Runs tool calls under rules and hooks. A line is a tool_use block, an assistant message or a line of a transcript.',
  )
    .option('--config <file>', 'an ES module whose default export is the options of createToolgate')
    .option('--settings <file>', 'a settings file of your own; may be repeated', repeat)
    .option(
      '--allow <rule>',
      'allow what matches, for example "Bash(npm test *)"; may be repeated',
      repeat,
    )
    .option('--ask <rule>', 'ask before what matches; may be repeated', repeat)
    .option('--deny <rule>', 'refuse what matches; may be repeated', repeat)
    .option('--allowedTools <rules>', '--allow, several in one: "Read, Bash(git log *)"', several)
    .option('--disallowedTools <rules>', '--deny, several in one', several)
    .option('--mode <mode>', 'default, acceptEdits, plan, auto, dontAsk or bypassPermissions')
    .option('--cwd <folder>', 'the working folder; this one without it')
    .option('--trust', 'let the settings of this folder loosen, not only tighten')
    .option('--events', 'write what happens as JSON Lines to standard error')
    .option('--prompt', 'ask at the terminal; without it nobody is asked')
    .option(
      '--session <folder>',
      'keep what was done there: the same lines again give the same results and run nothing',
    )
    .option('--audit <file>', 'write who asked what, what was decided and how it ended to this log')
    .action(async (file: string | undefined, flags: Partial<RunFlags>) => {
      const { run } = await import('./run.ts');
      process.exitCode = await run(file, { ...none, ...joined(flags) });
    });
}

function addExplain(parent: Command): void {
  verb(
    parent,
    'explain',
    'Says what would be decided about a call and why. Runs nothing, asks no one, touches no disk.',
  )
    .option('--config <file>', 'an ES module whose default export is the options of createToolgate')
    .option(
      '--settings <file>',
      'a settings file whose rules count as well; may be repeated',
      repeat,
    )
    .option('--text', 'write sentences instead of JSON')
    .addHelpText(
      'after',
      '\nA line: {"tool":"Bash","input":{"command":"npm test"},"rules":{"allow":["Bash(npm *)"]},"cwd":"/app"}',
    )
    .action(async (file: string | undefined, flags: Partial<ExplainFlags>) => {
      const { explain } = await import('./explain.ts');
      process.exitCode = await explain(file, { text: false, settings: [], ...flags });
    });
}

function addClassify(parent: Command): void {
  verb(
    parent,
    'classify',
    'Says what a shell command would do. A line is {"command": …} or a bare command.',
  ).action(async (file: string | undefined) => {
    const { classify } = await import('./classify.ts');
    process.exitCode = await classify(file);
  });
}

function addTest(parent: Command): void {
  parent
    .command('test')
    .description(
      'Holds a policy to its tests. A test file is a list of { name, tool, input, cwd?, mode?, expect, rule? }.\nThe policy is .claude/settings.json of the working folder, or the files of --settings and no others.',
    )
    .argument('[files...]', 'policy tests in YAML or JSON')
    .option('--config <file>', 'an ES module whose default export is the options of createToolgate')
    .option('--settings <file>', 'a settings file of the policy; may be repeated', repeat)
    .option('--allow <rule>', 'a further allow rule; may be repeated', repeat)
    .option('--ask <rule>', 'a further ask rule; may be repeated', repeat)
    .option('--deny <rule>', 'a further deny rule; may be repeated', repeat)
    .option('--mode <mode>', 'the mode of tests that name none')
    .option('--cwd <folder>', 'the project; this folder without it')
    .addHelpText(
      'after',
      '\nA test:\n  - name: pushing asks\n    tool: Bash\n    input: { command: git push origin main }\n    expect: ask\n    rule: Bash(git push *)\nNothing runs and nothing is looked up on disk. Exit 1 when a test does not hold.',
    )
    .action(async (files: readonly string[], flags: Partial<PolicyFlags>) => {
      const { test } = await import('./test.ts');
      process.exitCode = await test(files, { ...none, ...flags });
    });
}

function addReplay(parent: Command): void {
  parent
    .command('replay')
    .description(
      'Says which recorded calls two policies decide differently, and why; then what each rule did.\nA line is a tool_use block, an assistant message or a line of a transcript.',
    )
    .argument('[files...]', 'transcripts in JSON Lines; standard input without them')
    .option(
      '--old <file>',
      'a settings file of the old policy; may be repeated; .claude/settings.json without it',
      repeat,
    )
    .option('--new <file>', 'a settings file of the new policy; may be repeated', repeat)
    .option(
      '--config <file>',
      'an ES module whose default export is the options of createToolgate, for both',
    )
    .option('--old-config <file>', 'the same for the old policy')
    .option('--new-config <file>', 'the same for the new policy')
    .option('--mode <mode>', 'the mode that calls are decided in; what the policy says without it')
    .option('--cwd <folder>', 'where calls that name no folder were made; this folder without it')
    .addHelpText(
      'after',
      '\nNothing runs and nothing is looked up on disk. Exit 1 when a call is decided differently.',
    )
    .action(async (files: readonly string[], flags: Partial<ReplayFlags>) => {
      const { replay } = await import('./replay.ts');
      process.exitCode = await replay(files, { old: [], new: [], cwd: process.cwd(), ...flags });
    });
}

const verb = (parent: Command, name: string, description: string): Command =>
  parent
    .command(name)
    .description(description)
    .argument('[file]', 'JSON Lines; standard input without it')
    .allowExcessArguments(false);

function version(): string {
  const manifest: unknown = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  );
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown';
}
