import { emptySnapshot, type SettingsSnapshot, type SettingValue } from '@toolgate/core';
import { expect, test } from 'vitest';
import { readDescriptions } from '../../src/side-query/descriptions.ts';

const read = (value: unknown, more: Partial<SettingsSnapshot> = {}) =>
  readDescriptions({
    ...emptySnapshot,
    values: [
      {
        source: 'userSettings',
        file: 's.json',
        line: 3,
        pointer: '/classifier',
        key: 'classifier',
        value,
      },
    ],
    ...more,
  });
const texts = (value: unknown) =>
  read(value).descriptions.map(({ text, effect }) => [effect, text]);

test('allow and deny lists are read with their place', () => {
  expect(read({ allow: [' a '], deny: ['b'] })).toEqual({
    descriptions: [
      {
        source: 'userSettings',
        file: 's.json',
        line: 3,
        pointer: '/classifier/allow/0',
        effect: 'allow',
        text: 'a',
      },
      {
        source: 'userSettings',
        file: 's.json',
        line: 3,
        pointer: '/classifier/deny/0',
        effect: 'ask',
        text: 'b',
      },
    ],
    diagnostics: [],
  });
  expect(texts({ deny: ['b'], onDeny: 'deny' })).toEqual([['deny', 'b']]);
});

test.for([
  ['text', [], '"classifier" is an object with the lists "allow" and "deny"; it was ignored.'],
  [{ allow: 'a' }, [], '"classifier.allow" is a list of texts; it was ignored.'],
  [
    { alow: ['a'], allow: ['b'] },
    [['allow', 'b']],
    '"alow" is no key of "classifier"; use "allow", "deny" or "onDeny".',
  ],
  [
    { allow: [1, 'b'] },
    [['allow', 'b']],
    'a description is a text that says what to allow or deny; this one was ignored.',
  ],
  [
    { allow: ['  '] },
    [],
    'a description is a text that says what to allow or deny; this one was ignored.',
  ],
  [
    { allow: ['x'.repeat(501)] },
    [],
    'a description has at most 500 characters; this one has 501 and was ignored.',
  ],
  [{ deny: ['b'], onDeny: 'maybe' }, [['ask', 'b']], '"onDeny" is "ask" or "deny"; a match asks.'],
] as const)('%j keeps what is good and says what is not', ([value, kept, message]) => {
  expect(texts(value)).toEqual(kept);
  expect(read(value).diagnostics.map((one) => one.message)).toEqual([message]);
});

test('there are at most 100', () => {
  const { descriptions, diagnostics } = read({ allow: Array.from({ length: 102 }, () => 'a') });
  expect([descriptions.length, diagnostics.length]).toEqual([100, 2]);
});

test('where managed rules alone count, only the organisation’s descriptions allow; everybody’s deny', () => {
  const value = (source: SettingValue['source'], key: string, given: unknown): SettingValue => ({
    source,
    key,
    value: given,
  });
  const { descriptions, diagnostics } = read(undefined, {
    values: [
      value('policySettings', 'allowManagedPermissionRulesOnly', true),
      value('policySettings', 'classifier', { allow: ['theirs'] }),
      value('userSettings', 'classifier', { allow: ['mine'], deny: ['mine, too'] }),
    ],
  });
  expect(descriptions.map(({ text }) => text)).toEqual(['theirs', 'mine, too']);
  expect(diagnostics.map(({ message }) => message)).toEqual([
    'only your organisation’s descriptions may allow; this one was held back.',
  ]);
});
