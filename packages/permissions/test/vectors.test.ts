import { expect, test } from 'vitest';
import { accepted, decideVector, readVectors } from './helpers/vector-gate.ts';

test('vectors score', async () => {
  const wrong: string[] = [];
  for (const vector of readVectors()) {
    if (vector.tool === 'Bash') continue;
    const { behavior, reason } = await decideVector(vector);
    if (!accepted(vector).includes(behavior))
      wrong.push(
        `${vector.id}: ${behavior}, not ${vector.expect} (${reason}) ${JSON.stringify([vector.rules, vector.input])}`,
      );
  }
  expect(wrong).toEqual([]);
});
