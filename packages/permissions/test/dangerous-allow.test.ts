import { expect, test } from 'vitest';
import { dangerousAllow, parseRule } from '../src/index.ts';

const danger = (text: string) => {
  const parsed = parseRule(text);
  return parsed.ok ? dangerousAllow(parsed.rule) : 'no rule';
};

test.each([
  'Bash',
  'Bash(*)',
  'Bash(:*)',
  'Bash(* --help)',
  'Bash(p*)',
  'Bash(bash *)',
  'Bash(/bin/sh:*)',
  'Bash(python3:*)',
  'Bash(python3.12 *)',
  'Bash(python3 -c *)',
  'Bash(node -e:*)',
  'Bash(node --eval *)',
  'Bash(sudo *)',
  'Bash(sudo apt install *)',
  'Bash(FOO=1 env *)',
  'Bash(timeout 10 *)',
  'Bash(xargs rm *)',
  'Bash(npx *)',
  'Bash(npx eslint *)',
  'Bash(npm exec *)',
  'Bash(docker run:*)',
  'Bash(docker compose exec *)',
  'Bash(uv run *)',
  'Bash(find *)',
  'Bash(eval *)',
  'Bash(ssh host *)',
  'Monitor',
  'PowerShell(Invoke-Expression *)',
])('%s', (text) => {
  expect(danger(text)).toBeDefined();
});

test.each([
  'Bash(npm test)',
  'Bash(npm run *)',
  'Bash(git *)',
  'Bash(git push:*)',
  'Bash(python3 tools/build.py *)',
  'Bash(python3 -c "print(1)")',
  'Bash(sudo apt update)',
  'Bash(docker compose up *)',
  'Bash(ls*)',
  'Edit(src/**)',
  'Read',
  'WebFetch',
])('not %s', (text) => {
  expect(danger(text)).toBeUndefined();
});
