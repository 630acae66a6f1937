import { strictest, type RuleEntry } from '@toolgate/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { command, file, opinionsOn, type CallParts } from './helpers/call.ts';

const text = fc.constantFrom(
  'Bash',
  'Bash(*)',
  'Bash(git *)',
  'Bash(git push:*)',
  'Bash(* x)',
  'Bash(rm*)',
  'Edit',
  'Edit(/**)',
  'Edit(src/**)',
  'Edit(*.ts)',
  'Read',
  'Read(.env)',
  'Read(~/**)',
  'Read(//**)',
  'Write(/a)',
  'B*',
  '*',
  'Bash()',
  'Task',
  'mcp__*',
);
const rule = fc.record({
  text,
  behavior: fc.constantFrom('allow', 'ask', 'deny'),
  source: fc.constantFrom('userSettings', 'session'),
  root: fc.constantFrom('/p', '/h/.claude'),
}) satisfies fc.Arbitrary<RuleEntry>;
const unit = fc.oneof(
  fc
    .constantFrom('git push', 'git', 'rm x', 'ls')
    .chain((content) =>
      fc.constantFrom('pattern', 'exact', 'none').map((allowBy) => command(content, { allowBy })),
    ),
  fc
    .tuple(
      fc.constantFrom('Read', 'Edit'),
      fc.constantFrom('/p/.env', '/p/src/a.ts', '/h/x', '/p'),
      fc.boolean(),
    )
    .map(([tool, path, open]) => file(tool, path, open ? { open } : {})),
);
const units = fc.array(unit, { minLength: 1, maxLength: 4 });
const decide = (parts: CallParts) => strictest(opinionsOn(parts), parts.units).behavior;
const strictness = { allow: 0, undecided: 1, ask: 2, deny: 3 };

test('the order of rules never changes a decision', () => {
  fc.assert(
    fc.property(
      fc.array(rule, { maxLength: 8 }),
      units,
      fc.infiniteStream(fc.nat()),
      (rules, parts, order) => {
        const keyed = rules.map((entry) => ({ entry, key: order.next().value ?? 0 }));
        const shuffled = keyed.toSorted((a, b) => a.key - b.key).map(({ entry }) => entry);
        expect(decide({ units: parts, rules: shuffled })).toBe(decide({ units: parts, rules }));
      },
    ),
    { numRuns: 1_000 },
  );
});

test('one more deny or ask never makes a decision looser, one fewer allow neither', () => {
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 8 }), units, rule, (rules, parts, extra) => {
      const before = decide({ units: parts, rules });
      const after = decide({ units: parts, rules: [...rules, extra] });
      const [looser, stricter] = extra.behavior === 'allow' ? [after, before] : [before, after];
      expect(strictness[stricter]).toBeGreaterThanOrEqual(strictness[looser]);
    }),
    { numRuns: 2_000 },
  );
});

test('one more unit never makes a decision looser', () => {
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 8 }), units, unit, (rules, parts, extra) => {
      const before = decide({ units: parts, rules });
      const after = decide({ units: [...parts, extra], rules });
      expect(strictness[after]).toBeGreaterThanOrEqual(strictness[before]);
    }),
    { numRuns: 1_000 },
  );
});
