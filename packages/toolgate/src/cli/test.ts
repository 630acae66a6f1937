import { homedir } from 'node:os';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Decision, PermissionMode, RuleEntry, SettingsSnapshot } from '@toolgate/core';
import { createDecider } from './decider.ts';
import { decidingRule, placeOf, sentence } from './explain-text.ts';
import { loadConfig } from './load-config.ts';
import { checkRules, existingFolder, flagRules } from './make-gate.ts';
import { describe, say, writeLine } from './output.ts';
import { projectFile, readPolicy } from './policy-files.ts';
import { readPolicyTests, type PlacedTest } from './read-policy-tests.ts';
import { UsageError } from './usage-error.ts';

/** The flags of a verb that judges a policy. */
export interface PolicyFlags {
  readonly config?: string;
  readonly settings: readonly string[];
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
  readonly mode?: string;
  readonly cwd: string;
}

/** `toolgate test`: policy tests against a policy. Answers with 0, or 1 when a test does not hold. */
export async function test(files: readonly string[], flags: PolicyFlags): Promise<number> {
  if (files.length === 0)
    throw new UsageError(
      'test needs a file of policy tests, in YAML or JSON; see toolgate test --help',
    );
  const cwd = resolve(await existingFolder(flags.cwd));
  const suites = await Promise.all(
    files.map(async (file) => ({ file, tests: await readPolicyTests(file) })),
  );
  const config = flags.config === undefined ? undefined : await loadConfig(flags.config);
  const decider = createDecider({
    settings: await policyOf(flags, cwd),
    home: homedir(),
    config,
    keepsSettings: true,
    plugins: (facts) => (config ? [flagRules(facts)] : []),
    onDiagnostic: (diagnostic) => say(describe(diagnostic)),
  });
  let failed = 0;
  let count = 0;
  for (const { file, tests } of suites)
    for (const each of tests) {
      const call = {
        tool: each.tool,
        input: each.input,
        cwd: resolve(cwd, each.cwd ?? '.'),
        mode: each.mode ?? modeOf(flags),
      };
      const decision = await decider.decide(call);
      const problem = whyNot(each, decision);
      count += 1;
      if (problem !== undefined) {
        failed += 1;
        say(`${file}:${each.line}: "${each.name}" ${problem}. ${sentence(call, decision)}`);
      }
      await writeLine(resultOf(file, each, decision, problem));
    }
  await decider.close();
  say(
    failed === 0
      ? `all ${count} policy tests hold`
      : `${failed} of ${count} policy tests ${failed === 1 ? 'does' : 'do'} not hold`,
  );
  return failed === 0 ? 0 : 1;
}

/** The files that are named, or the file that the project's team shares, and the rules of the flags. */
async function policyOf(flags: PolicyFlags, cwd: string): Promise<SettingsSnapshot> {
  checkRules(flags);
  const shared = projectFile(cwd);
  const hasShared = (await stat(shared).catch(() => undefined))?.isFile() ?? false;
  const flagged = (['deny', 'ask', 'allow'] as const).flatMap((behavior) =>
    flags[behavior].map((text): RuleEntry => ({ behavior, text, source: 'cliArg', root: cwd })),
  );
  const usesShared = flags.settings.length === 0 && flags.config === undefined && hasShared;
  if (flags.settings.length + flagged.length === 0 && flags.config === undefined && !hasShared)
    throw new UsageError(
      `there is no policy to test: ${shared} does not exist. Name one with --settings, --config, --allow, --ask or --deny`,
    );
  const files = usesShared ? [shared] : flags.settings;
  for (const file of files) say(`policy: ${file}`);
  const policy = await readPolicy(files, { cwd });
  return { ...policy, rules: [...policy.rules, ...flagged] };
}

const modeOf = ({ mode }: PolicyFlags) => mode as PermissionMode | undefined; // setMode refuses what is none

function whyNot({ expect, rule }: PlacedTest, decision: Decision): string | undefined {
  if (decision.behavior !== expect)
    return `should ${verbs[expect]} and ${verbs3[decision.behavior]}`;
  const rules = decision.trail.flatMap((entry) =>
    entry.behavior === expect && entry.rule ? [entry.rule] : [],
  );
  if (rule === undefined || rules.some(({ text }) => text === rule)) return undefined;
  const [first] = rules;
  return `should be decided by the rule ${rule} and is by ${first ? `${first.text} of ${placeOf(first)}` : 'none'}`;
}
const verbs = { allow: 'run', ask: 'ask', deny: 'be refused' } as const;
const verbs3 = { allow: 'runs', ask: 'asks', deny: 'is refused' } as const;

function resultOf(file: string, test: PlacedTest, decision: Decision, problem: string | undefined) {
  const { name, line, expect } = test;
  const { behavior, reason } = decision;
  const rule = decidingRule(decision);
  const isOk = problem === undefined;
  return {
    file,
    line,
    name,
    ok: isOk,
    expect,
    behavior,
    reason,
    ...(rule && { rule }),
    ...(!isOk && { problem }),
  };
}
