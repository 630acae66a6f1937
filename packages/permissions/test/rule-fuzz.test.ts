import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseRule, ruleDiagnostics } from '../src/index.ts';
import { command, entries, file, opinionsOn } from './helpers/call.ts';

const numRuns = process.env['TOOLGATE_DEEP'] === '1' ? 100_000 : 1_000;
const odd = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({
    unit: fc.constantFrom(
      '*',
      ' ',
      ':',
      '(',
      ')',
      '/',
      '.',
      '~',
      '[',
      ']',
      '\\',
      '!',
      '"',
      'a',
      '\n',
      '?',
      '{',
      ',',
    ),
    maxLength: 60,
  }),
);
const tool = fc.constantFrom(
  'Bash',
  'Read',
  'Edit',
  'WebFetch',
  'mcp__s',
  'mcp__s__*',
  'Agent',
  'PowerShell',
  'Skill',
  '*',
  'B*',
  '',
);
const rule = fc.oneof(
  odd,
  fc.tuple(tool, odd).map(([name, content]) => `${name}(${content})`),
);

test('whatever a rule holds, it is read or refused with one line and a code', () => {
  fc.assert(
    fc.property(rule, (text) => {
      const parsed = parseRule(text);
      const { code, problem } = parsed.ok ? { code: 'rule-none', problem: '' } : parsed;
      expect(code).toMatch(/^rule-[a-z-]+$/);
      const found = ruleDiagnostics(entries({ deny: [text], ask: [text], allow: [text] }));
      const lines = [problem, ...found.map(({ message }) => message)];
      expect(lines.filter((line) => /[\n\r]/.test(line))).toEqual([]);
    }),
    { numRuns },
  );
});

test('whatever rules and calls hold, a decision comes out, the same each time', () => {
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 6 }), odd, (texts, text) => {
      const parts = {
        units: [
          command(text),
          command(text, { unparsed: true }),
          file('Read', `/p/${text}`),
          file('Edit', `/${text}`, { open: true }),
        ],
        input: { command: text },
        rules: { deny: texts, ask: texts, allow: texts },
      };
      expect(opinionsOn(parts)).toEqual(opinionsOn(parts));
    }),
    { numRuns },
  );
});

// A matcher that backs up would need longer than the age of the universe for these.
const long = 'a'.repeat(20_000);
test.each([
  ['Bash', `Bash(${'*a'.repeat(5_000)}b)`],
  ['Bash', `Bash(${'a* '.repeat(5_000)}*)`],
  ['Read', `Read(${'*a'.repeat(2_000)}b)`],
  ['Read', `Read(${'[a-z]*'.repeat(500)}b)`],
  ['Read', `Read(${'**/a/'.repeat(500)}b)`],
  ['Read', `Read(${'?*'.repeat(500)}b)`],
  ['WebFetch', `WebFetch(domain:${'*a'.repeat(1_000)}b)`],
] as const)('no %s pattern makes a matcher slow', (kind, text) => {
  const unit =
    kind === 'Bash'
      ? command(long)
      : kind === 'Read'
        ? file('Read', `/p/${'a/'.repeat(2_000)}${long.slice(0, 4_000)}`)
        : { tool: 'WebFetch', content: `domain:${long}`, readOnly: false, own: true };
  const started = performance.now();
  opinionsOn({ tool: kind, units: [unit], rules: { deny: [text], ask: [text], allow: [text] } });
  // Seconds on a slow machine under load; without the bound it would not end at all.
  expect(performance.now() - started).toBeLessThan(4_000);
});
