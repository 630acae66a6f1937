import { createToolgate } from '@toolgate/core';
import { expect, test } from 'vitest';
import { bashClassifier, bashEffects, classifyBash, type ReadOnlyCommands } from '../src/index.ts';
import { projectFacts } from './helpers.ts';

const commands: ReadOnlyCommands = {
  'terraform show': { options: '-json -no-color', apart: true, operands: 'content', most: 1 },
  'terraform state list': { options: '-id:', apart: true, operands: 'words' },
  bat: { options: '-n -p --plain -l: --language: --theme?', number: false },
  tokei: { options: '-f --files -e:', operands: 'names', skip: 0 },
};
const isReadOnly = (command: string, added: ReadOnlyCommands = commands) =>
  classifyBash(command, { environmentNames: [], commands: added }).readOnly;

test('a described command is read-only with the options that are listed, and with no other', () => {
  const readers = [
    'bat -n a.ts',
    'bat --plain a b | head',
    'bat -l ts a',
    'terraform show -json plan',
    'terraform state list -id x',
    'tokei src',
  ];
  const others = [
    'bat --pager=./x a',
    'bat -o out a',
    'bat "$x"', // may become an option
    'bat a > b',
    'PAGER=./x bat a',
    'terraform',
    'terraform apply',
    'terraform show a b',
    'terraform state rm x',
    'terraform "$x" list',
    './bat a',
    '/opt/bat a',
    'sudo bat a',
    'ls | xargs bat',
  ];
  expect(readers.filter((one) => !isReadOnly(one))).toEqual([]);
  expect(others.filter((one) => isReadOnly(one))).toEqual([]);
  expect(readers.filter((one) => isReadOnly(one, {}))).toEqual([]);
});

test('the files that a described command reads are units for the rules about paths', () => {
  const { units } = bashEffects({ command: 'bat ../secret' }, projectFacts(), {
    environmentNames: [],
    commands,
  });
  expect(units?.map(({ tool, path }) => [tool, path])).toEqual([
    ['Bash', undefined],
    ['Read', '/home/dev/secret'],
  ]);
});

test.for([
  ['rm', { options: '' }, /rm is judged already/],
  ['git log', { options: '' }, /git is judged already/],
  ['cat', { options: '--show-all' }, /cat is judged already/],
  ['cd', { options: '' }, /cd is judged already/],
  ['env', { options: '' }, /env is judged already/],
  ['bash', { options: '-c:' }, /bash is judged already/],
  ['./tool', { options: '' }, /use the name of a program/],
  ['two  blanks', { options: '' }, /use the name of a program/],
  ['bat', { options: 'plain' }, /"plain" is no option/],
  ['bat', { options: '', opperands: 'words' }, /"opperands" is no key of it/],
] as const)('%s is refused when the gate is built', ([name, description, message]) => {
  const plugin = bashClassifier({ commands: { [name]: description } });
  expect(() => createToolgate({ plugins: [plugin] })).toThrow(message);
});
