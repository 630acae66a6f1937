import { describe, expect, test } from 'vitest';
import {
  countDenial,
  denialTracking,
  noDenials,
  type DenialTrackingOptions,
  type DenialTrackingState,
} from '../src/index.ts';
import { echoGate, toolUse } from './helpers/gate.ts';

/** Runs calls one by one; each letter is a refusal (`d`) or a success (`s`); gives the text of each answer. */
async function texts(script: string, options: DenialTrackingOptions = {}) {
  const states: DenialTrackingState[] = [];
  const { gate } = echoGate({
    dialog: async ({ input }) => ({
      behavior: input['text'] === 'd' ? 'deny' : 'allow',
      ...no(input),
    }),
    plugins: [denialTracking({ ...options, onChange: (state) => void states.push(state) })],
  });
  const answers: unknown[] = [];
  for (const text of script) answers.push((await gate.run(toolUse({ text }))).block.content);
  return { answers, states };
}
const no = (input: Readonly<Record<string, unknown>>) =>
  input['text'] === 'd' ? { message: 'No.' } : {};
const isGuided = (answers: readonly unknown[]) =>
  answers.map((answer) => /in a row|have been refused/.test(String(answer)));

describe('guidance', () => {
  test('comes with the third refusal in a row, inside the one answer', async () => {
    const { answers } = await texts('dddd');
    expect(isGuided(answers)).toEqual([false, false, true, true]);
    expect(answers[2]).toBe(
      '<tool_use_error>No.\nEcho has been refused 3 times in a row. Do not send it again; find another way, or ask the person.</tool_use_error>',
    );
  });

  test('a success starts the row anew', async () => {
    expect(isGuided((await texts('ddsddsddd')).answers)).toEqual([
      ...Array.from({ length: 8 }, () => false),
      true,
    ]);
  });

  test('comes with the twentieth refusal in all, whatever succeeds between, and then the count starts anew', async () => {
    const { answers } = await texts('ds'.repeat(41));
    const guided = isGuided(answers).flatMap((is, index) => (is ? [index / 2 + 1] : []));
    expect(guided).toEqual([20, 40]);
  });

  test('the limits are options', async () => {
    expect(isGuided((await texts('dd', { inARow: 2 })).answers)).toEqual([false, true]);
    expect(isGuided((await texts('dsds', { inAll: 2 })).answers)).toEqual([
      false,
      false,
      true,
      false,
    ]);
  });
});

describe('the state', () => {
  test('is a JSON value that another gate goes on from', async () => {
    const first = await texts('dd');
    const stored: DenialTrackingState = JSON.parse(JSON.stringify(first.states.at(-1)));
    expect(stored).toEqual({ inARow: { Echo: 2 }, total: 2 });
    expect(isGuided((await texts('d', { state: stored })).answers)).toEqual([true]);
  });

  test('counts patterns beside tools', () => {
    let counted: ReturnType<typeof countDenial> = { state: noDenials };
    for (const pattern of ['a', 'git push', 'git push', 'git push'])
      counted = countDenial(counted.state, [
        pattern === 'a' ? 'Read' : 'Bash',
        `Bash(${pattern} *)`,
      ]);
    expect(counted.guidance).toContain('Bash(git push *) has been refused 3 times');
  });

  test('stays small however many patterns there are', () => {
    let state = noDenials;
    for (let index = 0; index < 1_000; index += 1) ({ state } = countDenial(state, [`k${index}`]));
    expect(Object.keys(state.inARow)).toHaveLength(200);
  });
});
