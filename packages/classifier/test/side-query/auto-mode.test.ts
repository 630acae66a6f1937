import type { PermissionAnswer } from '@toolgate/core';
import { expect, test } from 'vitest';
import { AutoDenials } from '../../src/side-query/auto-denials.ts';
import { answer, gateWith } from './helpers.ts';

const auto = { mode: 'auto' } as const;
const no = () => answer({ verdict: 'deny' });
const yes = () => answer({ verdict: 'allow' });

test('in mode auto the judge decides by itself: allow, deny, ask', async () => {
  const allowed = gateWith({ ...auto, script: yes });
  expect((await allowed.run('npm test')).decision).toMatchObject({
    behavior: 'allow',
    reason: 'Auto mode allowed it: Because.',
  });
  const denied = gateWith({ ...auto, script: no, dialog: async () => ({ behavior: 'allow' }) });
  expect((await denied.run('npm publish')).block.content).toMatch(
    /Auto mode refused it: Because\./,
  );
  const asks = gateWith({ ...auto, script: () => answer({ verdict: 'ask' }) });
  expect((await asks.run('npm i')).block.content).toMatch(/Auto mode asks: Because\./);
  expect(asks.asked[0]?.system).toContain('Where no description matches you decide by yourself');
});

test('an allow that is not sure asks, a deny that is not sure asks', async () => {
  for (const verdict of ['allow', 'deny'] as const) {
    const { run } = gateWith({ ...auto, script: () => answer({ verdict, confidence: 'low' }) });
    expect((await run('npm i')).block.content).toMatch(/nobody can be asked here/);
  }
});

test('outside of auto a judge that decides by itself is not heard', async () => {
  const { run, ran } = gateWith({ allow: ['x'], script: yes });
  await run('npm test');
  expect(ran).toEqual([]);
});

test('after three denials in a row a person is asked, until a call was allowed', async () => {
  let prompts = 0;
  let script = no;
  const dialog = async (): Promise<PermissionAnswer> => {
    prompts += 1;
    return { behavior: 'allow' };
  };
  const { run, ran } = gateWith({ ...auto, script: () => script(), dialog });
  for (const name of ['a', 'b', 'c']) await run(`deploy ${name}`);
  expect([ran, prompts]).toEqual([[], 0]);

  await run('deploy d');
  expect([ran, prompts]).toEqual([['deploy d'], 1]);
  // The person's yes ended the row.
  await run('deploy e');
  expect([ran.length, prompts]).toEqual([1, 1]);
  script = yes;
  await run('npm test');
  script = no;
  for (const name of ['f', 'g', 'h']) await run(`deploy ${name}`);
  expect(prompts).toBe(1);
});

test('after twenty denials in all a person is asked once, and the count begins anew', () => {
  const denials = new AutoDenials({ inARow: 3, inAll: 20 });
  const asked: number[] = [];
  for (let count = 1; count <= 42; count += 1) {
    if (denials.denied()) asked.push(count);
    denials.allowed();
  }
  expect(asked).toEqual([21, 42]);
});
