import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fileEntries } from '../src/file-entries.ts';

const place = { source: 'userSettings', file: '/s.json', root: '/' } as const;
const whole = JSON.stringify({
  permissions: { allow: ['Bash(ls *)'], deny: ['Read(.env)'], defaultMode: 'plan' },
  hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'x' }] }] },
});

test('any text is read without a crash, and what is read of it is rules, values and diagnostics', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json({ maxDepth: 6 }),
    // A whole file with a piece cut out and another put in.
    fc
      .tuple(fc.nat(whole.length), fc.nat(40), fc.string({ unit: 'binary', maxLength: 20 }))
      .map(([at, length, text]) => whole.slice(0, at) + text + whole.slice(at + length)),
    fc.nat(20_000).map((depth) => '{"permissions":'.repeat(depth)),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const { rules, values, diagnostics } = fileEntries(place, text);
      for (const rule of rules) expect(rule.text.trim()).not.toBe('');
      expect([values, diagnostics].every((list) => Array.isArray(list))).toBe(true);
    }),
    { numRuns: Number(process.env['FUZZ_RUNS'] ?? 500) },
  );
});

test('the deny rule of a file that is cut anywhere behind it is kept', () => {
  const from = whole.indexOf('Read(.env)"') + 'Read(.env)"'.length;
  for (let at = from; at <= whole.length; at += 1)
    expect(
      fileEntries(place, whole.slice(0, at)).rules.filter(({ behavior }) => behavior === 'deny'),
    ).toMatchObject([{ text: 'Read(.env)' }]);
});
