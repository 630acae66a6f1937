import { homedir } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import type {
  AnyObject,
  Decision,
  PermissionMode,
  RuleEntry,
  SettingsSnapshot,
  ToolgateOptions,
} from '@toolgate/core';
import { messageIn } from './assistant-message.ts';
import { createDecider, type Decider } from './decider.ts';
import { callText, decidingRule, placeOf, sentence } from './explain-text.ts';
import { loadConfig } from './load-config.ts';
import { existingFolder } from './make-gate.ts';
import { describe, say, writeLine } from './output.ts';
import { isBadLine, parseObject } from './parse-line.ts';
import { projectFile, readPolicy } from './policy-files.ts';
import { processLines } from './process-lines.ts';
import { createRuleTally } from './rule-tally.ts';
import { UsageError } from './usage-error.ts';

export interface ReplayFlags {
  readonly old: readonly string[];
  readonly new: readonly string[];
  readonly config?: string;
  readonly oldConfig?: string;
  readonly newConfig?: string;
  readonly mode?: string;
  readonly cwd: string;
}

const sides = ['old', 'new'] as const;
type Side = (typeof sides)[number];

/**
 * `toolgate replay`: which recorded calls two policies decide differently, and why; then what each rule did.
 * Answers with 0 when there is no difference, else 1.
 */
export async function replay(files: readonly string[], flags: ReplayFlags): Promise<number> {
  const cwd = resolve(await existingFolder(flags.cwd));
  const policies = await policiesOf(flags, cwd);
  const tally = createRuleTally();
  const told = new Set<Side>();
  const counts = { calls: 0, differences: 0, skipped: 0 };
  let isGood = true;
  for (const file of files.length > 0 ? files : [undefined])
    isGood = (await replayOne(file, { cwd, flags, policies, tally, told, counts })) && isGood;
  for (const side of sides)
    for (const row of tally.rows(side)) await writeLine({ type: 'rule', policy: side, ...row });
  const { calls, differences, skipped } = counts;
  await writeLine({ type: 'summary', calls, differences, skipped });
  for (const side of sides)
    for (const { rule, matched } of tally.rows(side))
      if (matched === 0)
        say(`never fired in the ${side} policy: ${rule.behavior} ${rule.text} of ${placeOf(rule)}`);
  if (skipped > 0) say(`skipped ${skipped} ${skipped === 1 ? 'line' : 'lines'} without a tool_use`);
  say(`${differences} of ${calls} calls ${differences === 1 ? 'is' : 'are'} decided differently`);
  return isGood ? (differences > 0 ? 1 : 0) : 2;
}

interface Policy {
  readonly files: readonly string[];
  readonly config: ToolgateOptions | undefined;
}

async function policiesOf(
  flags: ReplayFlags,
  cwd: string,
): Promise<Readonly<Record<Side, Policy>>> {
  const shared = flags.config === undefined ? undefined : await loadConfig(flags.config);
  const own = {
    old: flags.oldConfig === undefined ? shared : await loadConfig(flags.oldConfig),
    new: flags.newConfig === undefined ? shared : await loadConfig(flags.newConfig),
  };
  const isGiven = (side: Side) => flags[side].length > 0 || own[side] !== undefined;
  if (
    !isGiven('new') ||
    (own.old === own.new && own.new && flags.old.length + flags.new.length === 0)
  )
    throw new UsageError(
      'replay compares two policies: name the new one with --new FILE or --new-config FILE, and the old one with --old (default: .claude/settings.json)',
    );
  const old = isGiven('old') ? flags.old : [projectFile(cwd)];
  return { old: { files: old, config: own.old }, new: { files: flags.new, config: own.new } };
}

interface Replaying {
  readonly cwd: string;
  readonly flags: ReplayFlags;
  readonly policies: Readonly<Record<Side, Policy>>;
  readonly tally: ReturnType<typeof createRuleTally>;
  /** The policies whose mistakes were said. */
  readonly told: Set<Side>;
  readonly counts: { calls: number; differences: number; skipped: number };
}

/** One transcript. A project's rules are anchored where it was recorded: at its first `cwd`. */
async function replayOne(
  file: string | undefined,
  { cwd, flags, policies, tally, told, counts }: Replaying,
): Promise<boolean> {
  let deciders: Readonly<Record<Side, Decider>> | undefined;
  const decidersFor = async (projectRoot: string) =>
    (deciders ??= {
      old: await deciderOf('old', projectRoot),
      new: await deciderOf('new', projectRoot),
    });
  async function deciderOf(side: Side, projectRoot: string): Promise<Decider> {
    const { files, config } = policies[side];
    const settings: SettingsSnapshot = await readPolicy(files, {
      cwd,
      projectRoot,
      isQuiet: told.has(side),
    });
    told.add(side);
    tally.add(side, settings.rules);
    return createDecider({
      settings,
      home: homedir(),
      config,
      keepsSettings: files.length === 0,
      onDiagnostic: (diagnostic) => say(describe(diagnostic)),
    });
  }
  const isGood = await processLines(file, {
    signal: new AbortController().signal,
    write: async (answer) => {
      for (const difference of (answer as Differences).differences) await writeLine(difference); // what `work` answers
    },
    work: async (line) => {
      const value = parseObject(line);
      if (isBadLine(value)) return value;
      const message = messageIn(line, value);
      if (message === undefined) counts.skipped += 1;
      if (!message || isBadLine(message)) return message;
      const recorded =
        typeof value['cwd'] === 'string' && isAbsolute(value['cwd']) ? value['cwd'] : cwd;
      const both = await decidersFor(recorded);
      const differences: object[] = [];
      for (const { id, name, input } of usesIn(message.content)) {
        const call = { tool: name, input, cwd: recorded, mode: modeOf(flags) };
        const decisions = { old: await both.old.decide(call), new: await both.new.decide(call) };
        counts.calls += 1;
        for (const side of sides) tally.count(side, decisions[side]);
        if (decisions.old.behavior === decisions.new.behavior) continue;
        counts.differences += 1;
        const why = `${callText(call)}: ${decisions.old.behavior} becomes ${decisions.new.behavior}. Old: ${sentence(call, decisions.old)} New: ${sentence(call, decisions.new)}`;
        say(`${file ?? 'standard input'}:${line.number}: ${why}`);
        differences.push({
          type: 'difference',
          file: file ?? 'standard input',
          line: line.number,
          id,
          tool: name,
          input,
          old: side(decisions.old),
          new: side(decisions.new),
          why,
        });
      }
      return { differences } satisfies Differences;
    },
  });
  await deciders?.old.close();
  await deciders?.new.close();
  return isGood;
}

interface Differences {
  readonly differences: readonly object[];
}

const modeOf = ({ mode }: ReplayFlags) => mode as PermissionMode | undefined; // setMode refuses what is none

const usesIn = (content: unknown) =>
  content as readonly { readonly id: string; readonly name: string; readonly input: AnyObject }[]; // messageIn checked them

function side(decision: Decision): {
  readonly behavior: string;
  readonly reason: string;
  readonly rule?: RuleEntry;
} {
  const rule = decidingRule(decision);
  return { behavior: decision.behavior, reason: decision.reason, ...(rule && { rule }) };
}
