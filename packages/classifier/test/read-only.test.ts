import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { classifyBash } from '../src/index.ts';

const load = (name: string): readonly string[] =>
  // Both files are lists of commands, one text each.
  JSON.parse(readFileSync(new URL(`fixtures/${name}.json`, import.meta.url), 'utf8')) as string[];
const isReadOnly = (command: string) => classifyBash(command, { environmentNames: [] }).readOnly;

test('no command of the list of harmful and unknown ones is read-only', () => {
  expect(load('not-read-only').filter(isReadOnly)).toEqual([]);
});

test('every command of the list of readers is read-only', () => {
  expect(load('read-only').filter((command) => !isReadOnly(command))).toEqual([]);
});

test('a variable of the environment is not set on the way', () => {
  expect(classifyBash('DIR=src; ls $DIR', { environmentNames: [] }).readOnly).toBe(true);
  expect(classifyBash('DIR=src; ls $DIR', { environmentNames: ['DIR'] }).readOnly).toBe(false);
});

test('reading in turn is safe beside other calls, what shares or moves the shell is not', () => {
  const isSafe = (command: string) => classifyBash(command).concurrencySafe;
  expect(['ls', 'ls | sort', '(cd src && ls)', 'git status'].filter((one) => !isSafe(one))).toEqual(
    [],
  );
  expect(['cd src', 'cat', 'read -r x', 'touch a', 'ls &'].filter((one) => isSafe(one))).toEqual(
    [],
  );
});
