import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { classifyBash } from '../src/index.ts';

interface Vector {
  readonly id: string;
  readonly command: string;
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly subcommands?: readonly string[];
  readonly needs?: readonly string[];
  readonly destructiveNeeds?: string;
  readonly syntaxError?: boolean;
}
// The file is a copy of the project's vectors, whose format the type above states.
const { vectors } = JSON.parse(
  readFileSync(new URL('fixtures/bash-classification.json', import.meta.url), 'utf8'),
) as { readonly vectors: readonly Vector[] };
const results = vectors.map((vector) => ({
  vector,
  found: classifyBash(vector.command, { environmentNames: ['PATH', 'HOME'] }),
}));
const idsWhere = (wrong: (one: (typeof results)[number]) => boolean) =>
  results.filter(wrong).map(({ vector }) => vector.id);

test('the vectors are all there', () => expect(vectors).toHaveLength(470));

test('no command that is not read-only comes out read-only', () => {
  expect(idsWhere(({ vector, found }) => found.readOnly && !vector.readOnly)).toEqual([]);
});

test('every read-only command comes out read-only', () => {
  expect(idsWhere(({ vector, found }) => !found.readOnly && vector.readOnly)).toEqual([]);
});

test('no destructive command is missed, those in nested scripts included', () => {
  expect(idsWhere(({ vector, found }) => vector.destructive && !found.destructive)).toEqual([]);
});

test('no other command is called destructive', () => {
  expect(idsWhere(({ vector, found }) => !vector.destructive && found.destructive)).toEqual([]);
});

test('every destructive command has a warning that says why', () => {
  expect(idsWhere(({ found }) => found.destructive && found.warnings.length === 0)).toEqual([]);
});

test('the simple commands are listed in order, nested ones too', () => {
  const listed = results.filter(({ vector }) => vector.subcommands !== undefined);
  expect(listed.map(({ found }) => found.subcommands)).toEqual(
    listed.map(({ vector }) => vector.subcommands),
  );
});

test('what must hold where a read-only command runs is named', () => {
  const readers = results.filter(({ vector }) => vector.readOnly);
  expect(readers.map(({ found }) => found.needs)).toEqual(
    readers.map(({ vector }) => (vector.needs ?? []).toSorted()),
  );
});

test('exactly the invalid texts have a syntax problem', () => {
  const invalid = idsWhere(({ found }) => found.problems.some(({ code }) => code === 'syntax'));
  expect(invalid).toEqual(idsWhere(({ vector }) => vector.syntaxError === true));
});
