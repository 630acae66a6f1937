import { expect, test } from 'vitest';
import { openTelemetry } from '../src/index.ts';

test('without an SDK nothing is tapped', () => {
  const read: string[] = [];
  const gate = new Proxy({}, { get: (_, name) => void read.push(String(name)) });
  openTelemetry().setup(gate as never); // reads what it would use of a gate
  expect(read).toEqual([]);
});
