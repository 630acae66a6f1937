import {
  createToolgate,
  emptySnapshot,
  type Decision,
  type PathFacts,
  type PermissionMode,
  type RuleEntry,
  type SettingsSourceName,
} from '@toolgate/core';
import { classifyBash } from '@toolgate/classifier';
import { rulesBackend } from '@toolgate/permissions';
import { builtinTools } from '@toolgate/tools-builtin';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { standardPlugins } from 'toolgate';

const facts: PathFacts = {
  home: '/h',
  realPath: (path) => path,
  folderIdentity: () => undefined,
  holds: (need) => need === 'git-context',
};

async function decide(
  command: string,
  rules: readonly RuleEntry[],
  mode: PermissionMode = 'default',
): Promise<Decision> {
  const snapshot = { ...emptySnapshot, rules, mode };
  const gate = createToolgate({
    tools: builtinTools,
    permissions: rulesBackend({ facts }),
    plugins: standardPlugins(facts),
    settings: { current: () => snapshot },
    facts,
    cwd: '/p',
  });
  return gate.explain({ type: 'tool_use', id: 't', name: 'Bash', input: { command } });
}
const strictness = { allow: 0, ask: 1, deny: 2 } as const;
const strictnessOf = async (...call: Parameters<typeof decide>) =>
  strictness[(await decide(...call)).behavior];

const ruleOf = (
  behavior: RuleEntry['behavior'],
  text: string,
  source: SettingsSourceName = 'projectSettings',
): RuleEntry => ({ behavior, text, source, root: '/p' });

const unreadable = 'if';
const part = fc.constantFrom(
  'ls -la',
  'cat README.md',
  'cat .env',
  'npm test',
  'npm run build -- --watch',
  'git status',
  'git push origin main',
  'git push --force',
  'git -C sub push',
  'rm -rf build',
  'rm x > log.txt',
  'echo $(rm x)',
  'sudo rm x',
  'FOO=1 npm test',
  'timeout 5 npm test',
  'find . -name x -delete',
  'python3 -c "print(1)"',
  'echo hi > src/a.ts',
  'touch src/b.ts',
  'grep -r KEY .',
  'bash -c "git push"',
  'curl https://a.example',
  unreadable,
);
const ruleText = fc.constantFrom(
  'Bash',
  'Bash(npm *)',
  'Bash(npm test)',
  'Bash(git *)',
  'Bash(git push *)',
  'Bash(git push:*)',
  'Bash(rm *)',
  'Bash(rm -rf build)',
  'Bash(* x)',
  'Bash(ls*)',
  'Bash(sudo rm x)',
  'Bash(echo *)',
  'Read(.env)',
  'Read(**)',
  'Read',
  'Edit(src/**)',
  'Edit(//p/log.txt)',
  'Edit',
  'B*',
  '*',
  'Bash(run_in_background:true)',
);
const source = fc.constantFrom<SettingsSourceName>(
  'userSettings',
  'projectSettings',
  'localSettings',
  'flagSettings',
  'policySettings',
  'cliArg',
  'command',
  'session',
);
const behavior = fc.constantFrom<RuleEntry['behavior']>('allow', 'ask', 'deny');
const rule = fc.tuple(behavior, ruleText, source).map((each) => ruleOf(...each));
const rules = fc.array(rule, { maxLength: 6 });
const mode = fc.constantFrom<PermissionMode>(
  'default',
  'acceptEdits',
  'plan',
  'dontAsk',
  'bypassPermissions',
);
const operator = fc.constantFrom(' && ', '; ', ' | ', ' || ', '\n', ' & ');
const wrapped = fc.constantFrom<(one: string) => string>(
  (one) => one,
  (one) => `(${one})`,
  (one) => `{ ${one}; }`,
  (one) => `if true; then ${one}; fi`,
  (one) => `echo "$(${one})"`,
);
const numRuns = process.env['TOOLGATE_DEEP'] === '1' ? 5_000 : 150;
const limits = { timeout: 120_000 };

describe('whatever the policy and the command', limits, () => {
  test('one more deny never allows more', async () => {
    await fc.assert(
      fc.asyncProperty(
        part,
        rules,
        ruleText,
        source,
        mode,
        async (command, given, text, from, at) => {
          const before = await strictnessOf(command, given, at);
          const after = await strictnessOf(command, [...given, ruleOf('deny', text, from)], at);
          expect(after).toBeGreaterThanOrEqual(before);
        },
      ),
      { numRuns },
    );
  });

  test('one more allow overrides no deny and no ask', async () => {
    await fc.assert(
      fc.asyncProperty(
        part,
        rules,
        ruleText,
        source,
        mode,
        async (command, given, text, from, at) => {
          const before = await decide(command, given, at);
          const after = await decide(command, [...given, ruleOf('allow', text, from)], at);
          const said = (one: 'deny' | 'ask') =>
            before.trail.some((entry) => entry.behavior === one && entry.step === 'opinion');
          const least = said('deny') ? 'deny' : said('ask') && at === 'default' ? 'ask' : 'allow';
          expect(strictness[after.behavior]).toBeGreaterThanOrEqual(strictness[least]);
        },
      ),
      { numRuns },
    );
  });

  test('neither the order nor the source of rules changes anything', async () => {
    await fc.assert(
      fc.asyncProperty(
        part,
        rules,
        fc.infiniteStream(fc.nat()),
        fc.infiniteStream(source),
        mode,
        async (command, given, order, sources, at) => {
          const moved = given
            .map((entry) => ({ entry, key: order.next().value ?? 0 }))
            .toSorted((a, b) => a.key - b.key)
            .map(({ entry }) => ({ ...entry, source: sources.next().value ?? entry.source }));
          expect((await decide(command, moved, at)).behavior).toBe(
            (await decide(command, given, at)).behavior,
          );
        },
      ),
      { numRuns },
    );
  });

  test('a compound is never more permitted than its parts', async () => {
    await fc.assert(
      fc.asyncProperty(
        part,
        part,
        operator,
        wrapped,
        rules,
        mode,
        async (a, b, between, wrap, given, at) => {
          const whole = await strictnessOf(wrap(`${a}${between}${b}`), given, at);
          // A part that cannot be read makes all of it unreadable: then somebody is asked about the whole.
          const read = [a, b].every((one) => one !== unreadable);
          const most = read ? 2 : at === 'bypassPermissions' ? 0 : 1;
          const parts = await Promise.all([a, b].map((one) => strictnessOf(one, given, at)));
          expect(whole).toBeGreaterThanOrEqual(Math.min(most, Math.max(...parts)));
        },
      ),
      { numRuns },
    );
  });
});

const calls = [
  'git commit -m x',
  'git push origin main',
  'git branch feature',
  'git checkout -b x',
  'git stash push -m x',
  'git reset HEAD a',
  'git worktree add ../x',
  'git tag v1',
  'git remote add o u',
  'npm install lodash',
  'npm run build -- --watch',
  'npm publish --dry-run',
  'docker compose up -d',
  'docker volume create x',
  'kubectl apply -f x.yaml',
  'terraform apply',
  'terraform state list',
  'aws s3 cp a s3://b/a',
  'gh pr merge 12',
  'make build',
  'rsync -a a/ b/',
  'rm -rf dist',
  'find . -name "*.tmp" -delete',
  'sed -i s/a/b/ a.txt',
  'python3 script.py',
  'sudo npm test',
  'npm test && git push origin main',
];
const destroyers = [
  'git push --force origin main',
  'git push origin :main',
  'git push origin +main',
  'git branch -D feature',
  'git checkout -f main',
  'git checkout -- .',
  'git stash clear',
  'git stash drop',
  'git reset --hard',
  'git clean -fdx',
  'git tag -d v1',
  'git worktree remove --force ../x',
  'git remote remove o',
  'npm publish',
  'npm unpublish x --force',
  'docker compose down -v',
  'docker volume rm x',
  'docker system prune -af',
  'kubectl delete -f x.yaml',
  'terraform apply -destroy',
  'terraform state rm x',
  'aws s3 rm s3://b --recursive',
  'aws s3 sync . s3://b --delete',
  'gh repo delete x',
  'rsync -a --delete a/ b/',
  'rm -rf src',
  'rm -rf dist src',
  'find . -delete',
  'python3 -c "import shutil; shutil.rmtree(\'src\')"',
  'sudo rm -rf src',
  'make clean',
];

describe('suggested rules', () => {
  test.each(calls)('allow %j and none of its destructive neighbours', async (command) => {
    const allowed = classifyBash(command).suggestedRules.map((text) =>
      ruleOf('allow', text, 'session'),
    );
    const { behavior: own, trail } = await decide(command, allowed);
    const isOpen = allowed.length === 0 || trail.some(({ strength }) => strength === 'person');
    const ran: string[] = [];
    for (const other of destroyers.filter((each) => each !== command))
      if ((await decide(other, allowed)).behavior === 'allow') ran.push(other);
    expect({ own: isOpen ? 'allow' : own, ran }).toEqual({ own: 'allow', ran: [] });
  });
});
