import { expect, test } from 'vitest';

test('the core package can be loaded by its name', async () => {
  await expect(import('@toolgate/core')).resolves.toBeTypeOf('object');
});
