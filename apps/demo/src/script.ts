import { readFileSync } from 'node:fs';
import { z } from 'zod';

const expectation = z.strictObject({
  outcome: z.enum(['ok', 'refused', 'failed', 'aborted', 'answered']),
  code: z.string().optional(),
  contains: z.string().optional(),
});
const call = z.strictObject({
  name: z.string(),
  input: z.unknown(),
  /** What the person answers when nobody sits at a terminal. */
  answer: z.enum(['allow', 'deny']).optional(),
  expect: expectation,
  expectIfDenied: expectation.optional(),
});
const script = z.strictObject({
  turns: z.array(z.strictObject({ say: z.string(), calls: z.array(call) })),
  closing: z.string(),
});

export type Script = z.output<typeof script>;
export type ScriptedCall = z.output<typeof call>;
export type Expectation = z.output<typeof expectation>;

/** The scripted model: a file of assistant turns, and how each call must end. */
export const readScript = (file: URL): Script =>
  script.parse(JSON.parse(readFileSync(file, 'utf8')));
