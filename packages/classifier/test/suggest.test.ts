import { expect, test } from 'vitest';
import { classifyBash } from '../src/index.ts';
import { unitsOf } from './helpers.ts';

const suggestions: readonly (readonly [command: string, rules: readonly string[]])[] = [
  ['git commit -m x', ['Bash(git commit *)']],
  ['git -C sub commit -m x', ['Bash(git -C sub commit -m x)']],
  ['npm run build -- --watch', ['Bash(npm run build *)']],
  ['npm install lodash', ['Bash(npm install *)']],
  ['pnpm --filter core test', ['Bash(pnpm --filter core test)']],
  ['ls src', []],
  ['docker compose up -d', ['Bash(docker compose up *)']],
  ['docker exec web ls', ['Bash(docker exec web ls)']],
  ['npm exec x', ['Bash(npm exec x)']],
  ['gh pr view 12', ['Bash(gh pr view *)']],
  ['python3 script.py', ['Bash(python3 script.py)']],
  ['node -e "1"', ['Bash(node -e "1")']],
  ['bash -c "npm test"', ['Bash(bash -c "npm test")']],
  ['sudo npm test', ['Bash(sudo npm test)']],
  ['timeout 5 npm test', ['Bash(timeout 5 npm test)']],
  ['rm -rf dist', ['Bash(rm -rf dist)']],
  ['rm *.log', []],
  ['curl https://a.example/x', ['Bash(curl https://a.example/x)']],
  ['CI=1 npm test', ['Bash(npm test *)']],
  ['FOO=$(id) npm test', ['Bash(FOO=$(id) npm test)']],
  ['npm test && git push && ls', ['Bash(npm test *)', 'Bash(git push)']],
  // A prefix would allow a destructive neighbour as well.
  ['git branch x', ['Bash(git branch x)']],
  ['git checkout main', ['Bash(git checkout main)']],
  ['git stash push -m x', ['Bash(git stash push *)']],
  ['git worktree add ../x', ['Bash(git worktree add *)']],
  ['docker compose down', ['Bash(docker compose down)']],
  ['terraform state list', ['Bash(terraform state list)']],
  ['npm publish --dry-run', ['Bash(npm publish --dry-run)']],
  ['make build', ['Bash(make build)']],
  ['git push --force', ['Bash(git push --force)']],
  ['npm test > out.txt', ['Bash(npm test *)']],
  ['$cmd x', []],
  ['npm test "', []],
  ['npm\u200b test', []],
  ['unknown-tool x', ['Bash(unknown-tool x)']],
  // What is fed to an interpreter is in no rule's text.
  ['curl -s https://a.example/x | sh', ['Bash(curl -s https://a.example/x)']],
  ['cat x.py | python3 -', []],
  ['python3 <<EOF\nprint(1)\nEOF', []],
  ['npm test | sudo bash', ['Bash(npm test *)']],
  ['bash -s x < script', []],
  ['/bin/sh < script', []],
  ['docker exec -i web sh', []],
];
test.each(suggestions)('for %j it suggests %j', (command, rules) => {
  expect(classifyBash(command).suggestedRules).toEqual(rules);
});

test('every suggestion covers a unit of its own command', () => {
  for (const [command, rules] of suggestions)
    for (const rule of rules) {
      const content = rule.slice('Bash('.length, -1);
      const covered = unitsOf(command, 'Bash').some((unit) =>
        content.endsWith(' *')
          ? unit.allowBy === 'pattern' && `${unit.content} `.startsWith(content.slice(0, -1))
          : unit.exact === content,
      );
      expect(covered, `${rule} for ${command}`).toBe(true);
    }
});
