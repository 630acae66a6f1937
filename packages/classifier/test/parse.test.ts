import { expect, test } from 'vitest';
import { listCommands } from '../src/bash/list-commands.ts';
import { parseBash } from '../src/bash/parse.ts';

const commandsIn = (text: string) =>
  listCommands(parseBash(text).script).map((command) =>
    command.words.map((word) => word.text).join(' '),
  );

const nested: readonly (readonly [where: string, text: string, commands: readonly string[]])[] = [
  ['a substitution in double quotes', 'echo "a $(id) b"', ['echo "a $(id) b"', 'id']],
  ['backticks in backticks', 'echo `echo \\`id\\``', ['echo `echo \\`id\\``', 'echo `id`', 'id']],
  ['a continuation between $ and (', 'echo "$\\\n(id)"', ['echo "$\\\n(id)"', 'id']],
  ['a default', 'echo ${x:-$(id)}', ['echo ${x:-$(id)}', 'id']],
  ['a pattern', 'echo ${x%%$(id)}', ['echo ${x%%$(id)}', 'id']],
  ['a replacement', 'echo ${x/a/$(id)}', ['echo ${x/a/$(id)}', 'id']],
  ['an offset', 'echo ${x:$(id):1}', ['echo ${x:$(id):1}', 'id']],
  ['a subscript', 'echo ${x[$(id)]}', ['echo ${x[$(id)]}', 'id']],
  ['arithmetic', 'echo $((1 + $(id)))', ['echo $((1 + $(id)))', 'id']],
  ['a subscript in arithmetic', 'echo $((a[$(id)]))', ['echo $((a[$(id)]))', 'id']],
  ['old arithmetic', 'echo $[ $(id) ]', ['echo $[ $(id) ]', 'id']],
  ['an arithmetic command', '(( x = $(id) ))', ['id']],
  ['a brace list', 'echo {a,$(id)}', ['echo {a,$(id)}', 'id']],
  ['a pipe in a brace list', 'echo {a,<(id)}', ['echo {a,<(id)}', 'id']],
  ['a nested brace list', 'echo x{a,b{c,>(id)}}', ['echo x{a,b{c,>(id)}}', 'id']],
  ['a bracket glob', 'echo [$(id)]', ['echo [$(id)]', 'id']],
  ['a process substitution', 'cat <(id)', ['cat <(id)', 'id']],
  ['an output process substitution', 'ls > >(id)', ['ls', 'id']],
  ['a redirect target', 'ls > $(id)', ['ls', 'id']],
  ['a here-string', 'cat <<< $(id)', ['cat', 'id']],
  ['a here-document', 'cat <<E\n$(id)\nE', ['cat', 'id']],
  ['an indented here-document', 'cat <<-E\n\t`id`\n\tE', ['cat', 'id']],
  ['the second here-document', "cat <<'A' <<B\n$(no)\nA\n$(id)\nB", ['cat', 'id']],
  ['an assignment', 'x=$(id)', ['id']],
  ['an array', 'x=(a $(id))', ['id']],
  ['an element', 'x[$(id)]=1', ['id']],
  ['an argument of declare', 'declare x=$(id)', ['declare x=$(id)', 'id']],
  ['a case word', 'case $(id) in a) ls;; esac', ['id', 'ls']],
  ['a case pattern', 'case a in $(id)) ls;; esac', ['id', 'ls']],
  ['a loop list', 'for x in $(id); do ls; done', ['id', 'ls']],
  ['a C-style loop', 'for ((i=$(id);i<2;i++)); do ls; done', ['id', 'ls']],
  ['a test', '[[ $(id) == a && -f `pwd` ]]', ['id', 'pwd']],
  ['a pattern of a test', '[[ a == @($(id)|b) ]]', ['id']],
  ['a function', 'f() { id; }', ['id']],
  ['a coprocess', 'coproc id', ['id']],
  ['a timed pipeline', 'time -p ls | id', ['ls', 'id']],
  ['a name with quotes', `r''m x; "l"s`, ["r''m x", '"l"s']],
  ['a value that is a process substitution', 'v=<(id) rm x', ['rm x', 'id']],
  ['a value that ends in one', 'v=a<(id)b w=1 rm x', ['rm x', 'id']],
  ['the middle of a word', 'echo a<(id)b', ['echo a<(id)b', 'id']],
  ['a redirect before the name', '>&echo touch pwned', ['touch pwned']],
  ['elif', 'if a; then b; elif c; then d; else e; fi', ['a', 'b', 'c', 'd', 'e']],
];
test.each(nested)('a command in %s is found', (_, text, commands) => {
  expect(commandsIn(text)).toEqual(commands);
  expect(parseBash(text).valid).toBe(true);
});

test('quoted here-documents and comments hold no commands', () => {
  expect(commandsIn("cat <<'E'\n$(id)\nE\n# $(id)")).toEqual(['cat']);
});

test.each([
  'echo "a',
  'ls &&',
  'ls )',
  'if a; then b',
  'echo $(',
  'a | | b',
  "x='",
  'echo $(ls',
  'echo `ls',
])('%j is not valid', (text) => expect(parseBash(text).valid).toBe(false));

test.each([
  'echo "${x/$(/bin/id)/b}"',
  'echo ${x//$(id a/b)/c}',
  'echo ${x/${x/$(/bin/id)/b}/c}',
  "echo ${x/$(: ')'; /bin/id)/b}",
  'echo ${x/<(/bin/id)/b}',
  'echo ${x/`/bin/id`/b}',
  `echo \${x/"a/"'b/'$(id)/c}`,
])('%j is not read, as its pattern may end elsewhere', (text) =>
  expect(parseBash(text).valid).toBe(false),
);

test('a replacement without a command is read', () => {
  for (const text of ['echo ${x//\\//-}', `echo "\${x//"'"/}"`, 'echo ${x/a/$(id a/b)}'])
    expect(parseBash(text).problems).toEqual([]);
});

test('an error in a nested script is an error of the whole', () => {
  expect(parseBash('echo "$(ls &&)"').valid).toBe(false);
});

const refusedTexts: readonly (readonly [text: string, character: string, at: number])[] = [
  ['ls\rid', 'U+000D', 2],
  ['ls\u0000', 'U+0000', 2],
  ['ls \u001b[1m', 'U+001B', 3],
  ['ls\u0085', 'U+0085', 2],
  ['echo "\u2028"', 'U+2028', 6],
  ['ls\u200b -la', 'U+200B', 2],
  ['echo "\u202e"', 'U+202E', 6],
  ['\ufeffls', 'U+FEFF', 0],
  ['ls\u00a0-la', 'U+00A0', 2],
  ['ls \u3000', 'U+3000', 3],
  ['echo \u{e0041}', 'U+E0041', 5],
  ['echo \ud800', 'U+D800', 5],
];
test.each(refusedTexts)('%j is refused and the character named', (text, character, at) => {
  const problem = parseBash(text).problems.find(({ code }) => code === 'refused-character');
  expect(problem?.message).toContain(character);
  expect(problem?.message).toContain(`offset ${at} `);
});

test('a look-alike blank inside quotes is ordinary text', () => {
  expect(parseBash('git commit -m "a\u00a0b"').problems).toEqual([]);
});

test('a text over 10,000 characters is not parsed', () => {
  expect(parseBash(`echo ${'a'.repeat(9995)}`).problems).toEqual([]);
  const { problems, script } = parseBash(`echo ${'a'.repeat(9996)}`);
  expect(problems.map(({ code }) => code)).toEqual(['too-long']);
  expect(script.nodes).toEqual([]);
});

test('extended globs are a problem outside of tests only', () => {
  expect(parseBash('ls @(a|b)').problems.map(({ code }) => code)).toEqual(['extended-glob']);
  expect(parseBash('[[ a == @(a|b) ]]').problems).toEqual([]);
});

test('the model is plain data', () => {
  const { script } = parseBash('for f in {a,b}; do x=1 cat <<E "$f" > out; done\n$(id)\nE');
  expect(structuredClone(script)).toEqual(script);
  expect(JSON.parse(JSON.stringify(script))).toEqual(
    JSON.parse(JSON.stringify(structuredClone(script))),
  );
});
