import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emptyFolder, root, toolgate } from './helpers/toolgate.ts';

interface PermissionVector {
  readonly id: string;
  readonly expect: string;
  readonly accept?: readonly string[];
}
interface BashVector {
  readonly id: string;
  readonly command: string;
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly destructiveNeeds?: string;
  readonly subcommands?: readonly string[];
}

const fixture = async <T>(path: string): Promise<T> =>
  JSON.parse(await readFile(join(root, 'packages', path), 'utf8'));
const asLines = (items: readonly object[]) => items.map((item) => JSON.stringify(item)).join('\n');

test('explain decides every permission vector as it accepts, and never looser', async () => {
  const vectors = await fixture<PermissionVector[]>(
    'permissions/test/fixtures/permission-rules.json',
  );

  const { code, lines } = await toolgate(['explain'], {
    cwd: await emptyFolder(),
    input: asLines(vectors),
  });

  expect(code).toBe(0);
  expect(lines.map(({ id }) => id)).toEqual(vectors.map(({ id }) => id));
  const wrong = vectors.filter(
    ({ expect: expected, accept = [] }, index) =>
      ![expected, ...accept].includes(lines[index].behavior),
  );
  expect(wrong.map(({ id }) => id)).toEqual([]);
});

test('classify calls no unsafe command read-only, and sees every read-only one of the vectors', async () => {
  const { vectors } = await fixture<{ vectors: BashVector[] }>(
    'classifier/test/fixtures/bash-classification.json',
  );

  const { code, lines } = await toolgate(['classify'], {
    cwd: await emptyFolder(),
    input: asLines(vectors),
  });

  expect(code).toBe(0);
  const differing = (what: (vector: BashVector, line: any) => boolean) =>
    vectors.filter((vector, index) => what(vector, lines[index])).map(({ id }) => id);
  expect(differing(({ readOnly }, line) => line.readOnly && !readOnly)).toEqual([]);
  expect(differing(({ readOnly }, line) => !line.readOnly && readOnly)).toEqual([]);
  expect(
    differing(
      ({ destructive, destructiveNeeds }, line) =>
        destructive && !line.destructive && destructiveNeeds !== 'nested-script',
    ),
  ).toEqual([]);
  expect(
    differing(
      ({ subcommands }, line) =>
        subcommands !== undefined &&
        JSON.stringify(subcommands) !== JSON.stringify(line.subcommands),
    ),
  ).toEqual([]);
});

test('a .json file is read as the list it holds', async () => {
  const file = join(root, 'packages/permissions/test/fixtures/permission-rules.json');

  const { code, lines } = await toolgate(['explain', file], { cwd: await emptyFolder() });

  expect(code).toBe(0);
  expect(lines[0].id).toBe('tool-001');
});

test('classify takes bare commands, one a line, and names a broken JSON line', async () => {
  const { code, lines, stderr } = await toolgate(['classify'], {
    cwd: await emptyFolder(),
    input: 'ls -la\n{ rm -rf build; }\n{"command": "ls"\n{"id":7,"command":"cat a"}\n',
  });

  expect(code).toBe(2);
  expect(lines.map((line) => [line.id, line.readOnly, line.destructive, line.error?.line])).toEqual(
    [
      [undefined, true, false, undefined],
      [undefined, false, true, undefined],
      [undefined, undefined, undefined, 3],
      [7, true, false, undefined],
    ],
  );
  expect(stderr).toMatch(/^toolgate: standard input:3: not JSON: .+\n$/);
});

const badQuestions: readonly (readonly [string, object])[] = [
  ['"tool" must be the name of a tool', {}],
  ['"rules" must be an object with lists "allow", "ask", "deny"', { tool: 'Bash', rules: [] }],
  ['"rules.allow" must be a list of texts', { tool: 'Bash', rules: { allow: [1] } }],
  ['"cwd", "projectRoot" and "home" must be absolute paths', { tool: 'Bash', cwd: 'app' }],
  [
    '"rules" has the unknown key "dney". Did you mean "deny"?',
    { tool: 'Bash', rules: { dney: [] } },
  ],
  ['unknown key "rulez". Did you mean "rules"?', { tool: 'Bash', rulez: {} }],
  ['"symlinks" must map paths to paths', { tool: 'Bash', symlinks: { a: 1 } }],
];
test.for(badQuestions)('explain answers a bad line with: %s', async ([message, question]) => {
  const { code, lines } = await toolgate(['explain'], {
    cwd: await emptyFolder(),
    input: JSON.stringify(question),
  });

  expect({ code, lines }).toEqual({ code: 2, lines: [{ error: { line: 1, message } }] });
});

test('explain --text reads like sentences, names the rule and hides no character', async () => {
  const { stdout } = await toolgate(['explain', '--text'], {
    cwd: await emptyFolder(),
    input: JSON.stringify({
      id: 'x',
      tool: 'Bash',
      input: { command: 'git push \u202eorigin' },
      rules: { deny: ['Bash(git push *)'] },
    }),
  });

  expect(stdout.split('\n')[0]).toBe(
    'x: Bash `git push \\u{202e}origin` is refused, because the deny rule Bash(git push *) of the project’s settings (/rules/deny/0) forbids it.',
  );
  expect(stdout).not.toContain('\u202e');
});

test('explain touches no disk: a link that is only in the line counts, one on the disk does not', async () => {
  const cwd = await emptyFolder();
  const { lines } = await toolgate(['explain'], {
    cwd,
    input: asLines([
      {
        tool: 'Read',
        input: { file_path: 'data' },
        cwd,
        symlinks: { [join(cwd, 'data')]: '/etc/x' },
      },
      { tool: 'Read', input: { file_path: 'data' }, cwd },
    ]),
  });

  expect(lines.map(({ behavior }) => behavior)).toEqual(['ask', 'allow']);
});
