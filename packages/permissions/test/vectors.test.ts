import { expect, test } from 'vitest';
import { accepted, decideVector, readVectors } from './helpers/vector-gate.ts';

const vectors = readVectors();

test.each(vectors.filter(({ tool }) => tool !== 'Bash'))('$id', async (vector) => {
  const { behavior } = await decideVector(vector);
  expect(accepted(vector)).toContain(behavior);
});

test('without a reader of Bash no command is allowed that should not be', async () => {
  const wrong: string[] = [];
  for (const vector of vectors.filter(({ tool }) => tool === 'Bash')) {
    const { behavior } = await decideVector(vector);
    // What a mode or a critical removal makes of a command needs its reader.
    const isFloor = vector.id.startsWith('crit') || vector.mode === 'bypassPermissions';
    if (behavior === 'allow' && !accepted(vector).includes('allow') && !isFloor)
      wrong.push(vector.id);
  }
  expect(wrong).toEqual([]);
});
