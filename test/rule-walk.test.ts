import { createToolgate, emptySnapshot, type PathFacts, type RuleEntry } from '@toolgate/core';
import { knownTools, rulesBackend } from '@toolgate/permissions';
import { builtinTools } from '@toolgate/tools-builtin';
import { describe, expect, test } from 'vitest';
import { standardPlugins } from 'toolgate';

const facts: PathFacts = {
  home: '/h',
  realPath: (path) => path,
  folderIdentity: () => undefined,
  holds: (need) => need === 'git-context',
};
const known = knownTools().filter(({ name }) => builtinTools.every((tool) => tool.name !== name));

async function decide(
  command: string,
  rules: Partial<Record<RuleEntry['behavior'], string>>,
  tool = 'Bash',
) {
  const entries = Object.entries(rules).map(([behavior, text]) => ({
    behavior: behavior as RuleEntry['behavior'], // the key's type, which entries() forgets
    text,
    source: 'projectSettings' as const,
    root: '/p',
  }));
  const snapshot = { ...emptySnapshot, rules: entries };
  const gate = createToolgate({
    tools: [...builtinTools, ...known],
    permissions: rulesBackend({ facts }),
    plugins: standardPlugins(facts),
    settings: { current: () => snapshot },
    facts,
    cwd: '/p',
  });
  return (await gate.explain({ type: 'tool_use', id: 't', name: tool, input: { command } }))
    .behavior;
}

describe('an allow rule reads the strict form', () => {
  test.each([
    ['npm test --watch', 'Bash(npm test *)'],
    ['"npm" \'test\' x', 'Bash(npm test *)'],
    ['np\\m "test"', 'Bash(npm test)'],
    ['timeout 5 "npm" test', 'Bash(npm test)'],
    ['make "hello" x', 'Bash(make "hello" *)'],
    ['NO_COLOR=1 npm test', 'Bash(npm test)'],
    ['npm test > /dev/null 2>&1', 'Bash(npm test)'],
    ['(npm test)', 'Bash(npm test)'],
  ])('%s runs under %s', async (command, allow) => {
    expect(await decide(command, { allow })).toBe('allow');
  });

  test.each([
    ['"npm test" x', 'Bash(npm test *)'],
    ['"A=1" npm x', 'Bash(A=1 npm *)'],
    ['"find" . -delete x', 'Bash(find *)'],
    ['"sudo" npm x', 'Bash(sudo *)'],
    ['"$X" npm x', 'Bash(npm *)'],
    ['./npm test', 'Bash(npm test)'],
    ['FOO=1 npm test', 'Bash(npm test)'],
    ['PATH=. npm test', 'Bash(npm test)'],
    ['npm() { rm x; }; npm test', 'Bash(npm test)'],
    ['alias npm=rm; npm test', 'Bash(npm test)'],
    ['cd /tmp && npm test', 'Bash(npm test)'],
    ['npm test > out.txt', 'Bash(npm test)'],
    ['npm test | sh', 'Bash(npm test)'],
    ['npm test "', 'Bash'],
  ])('%s asks under %s', async (command, allow) => {
    expect(await decide(command, { allow })).toBe('ask');
  });
});

describe('a deny rule reads every form', () => {
  test.each([
    '\\rm x',
    '"rm" x',
    "$'\\x72m' x",
    'command -p rm x',
    'sudo -u root rm x',
    'env -S "rm x"',
    'xargs -I{} rm {}',
    'find . -execdir rm {} +',
    'bash -lc "rm x"',
    'bash <<< "rm x"',
    'echo "rm x" | sudo sh',
    'trap "rm x" EXIT',
    'git -c alias.x="!rm x" x',
    'echo ${X:-$(rm x)}',
    'cat <<EOF\n$(rm x)\nEOF',
    'case a in a) rm x;; esac',
    'f() { rm x; }; f',
    'ls | entr -r rm x',
    'nix-shell --run "rm x"',
    'direnv exec . rm x',
    'ssh-agent rm x',
  ])('%s', async (command) => {
    expect(await decide(command, { allow: 'Bash', deny: 'Bash(rm *)' })).toBe('deny');
  });
});

describe('Monitor', () => {
  test('its commands are read as those of Bash, under the rules of either', async () => {
    expect(await decide('npm test --watch', { allow: 'Monitor(npm test *)' }, 'Monitor')).toBe(
      'allow',
    );
    expect(await decide('npm test --watch', { allow: 'Bash(npm test *)' }, 'Monitor')).toBe(
      'allow',
    );
    expect(
      await decide('npm test; rm x', { allow: 'Monitor', deny: 'Bash(rm *)' }, 'Monitor'),
    ).toBe('deny');
    expect(await decide('tail -f log', {}, 'Monitor')).toBe('ask');
  });
});
