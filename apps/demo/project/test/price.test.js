import assert from 'node:assert/strict';
import { test } from 'node:test';
import { total, withDiscount } from '../src/price.js';

test('a total adds the cents', () => {
  assert.equal(total([{ cents: 250 }, { cents: 199 }]), 449);
});

test('a discount makes it cheaper', () => {
  assert.equal(withDiscount(1000, 10), 900);
});
