import { allow, buildTool, createToolgate } from '@toolgate/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { redaction, redactSecrets, redactStream } from '../src/index.ts';

// Made up, in the form of real ones; put together so that no scanner takes this file for a leak.
const secrets: Readonly<Record<string, string>> = {
  aws: `AKIA${'IOSFODNN7EXAMPLQ'}`,
  github: `ghp_${'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx'}`,
  slack: `xoxb-${'123456789012-123456789012-abcdefghijklmnopqrstuvwx'}`,
  openai: `sk-proj-${'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJ'}`,
  google: `AIza${'SyA1234567890abcdefghijklmnopqrstuv'}`,
  jwt: `eyJ${'hbGciOiJIUzI1NiJ9.eyJ'}${'zdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U'}`,
  'private-key': `-----BEGIN RSA ${'PRIVATE KEY-----\nMIIEpAIBAAKCAQEA1234\nabcd==\n-----END RSA PRIVATE KEY-----'}`,
};

test.for(Object.entries(secrets))(
  'a secret of the form %s is replaced by its kind',
  async ([kind, secret]) => {
    const { text, count } = await redactSecrets(`before ${secret} after`);
    expect([text, count]).toEqual([`before [redacted ${kind}] after`, 1]);
  },
);

test('credentials in an address and in a header go, what stands around stays', async () => {
  const { text } = await redactSecrets(
    'curl https://me:hunter22pass@example.com/x -H "Authorization: Bearer abcdefghijklmnopqrstuvwxyz"',
  );
  expect(text).not.toMatch(/hunter22pass|abcdefghijklmnop/);
  expect(text).toMatch(/^curl .*\/x -H "Authorization: \[redacted bearer\]"$/);
});

test('a text without secrets stays as it is', async () => {
  const texts = [
    '',
    'short',
    'AKIA is a prefix, ghp_ too',
    'x'.repeat(10_000),
    'const token = process.env.TOKEN;',
  ];
  for (const text of texts) expect(await redactSecrets(text)).toEqual({ text, count: 0 });
});

test('secrets that touch and overlap go as a whole', async () => {
  const both = `${secrets['github']}${secrets['github']}`;
  expect((await redactSecrets(both)).text).not.toContain('wWPw5k4a');
});

test('a stream gives what the whole gives, wherever it is cut', async () => {
  const filler = fc.constantFrom(
    'text ',
    '\n',
    'a'.repeat(30_000),
    ...Object.values(secrets).map((one) => ` ${one} `),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(filler, { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 25_000 }), { minLength: 1 }),
      async (parts, sizes) => {
        const whole = parts.join('');
        const chunks: string[] = [];
        for (let at = 0, index = 0; at < whole.length; index += 1) {
          const size = sizes[index % sizes.length] ?? 1;
          chunks.push(whole.slice(at, at + size));
          at += size;
        }
        let given = '';
        for await (const part of ReadableStream.from(chunks).pipeThrough(redactStream()))
          given += part;
        for (const secret of Object.values(secrets)) expect(given).not.toContain(secret);
        expect(given.replaceAll(/\[redacted [\w-]+\]/g, '')).toBe(
          (await redactSecrets(whole)).text.replaceAll(/\[redacted [\w-]+\]/g, ''),
        );
      },
    ),
    { numRuns: 30 },
  );
}, 60_000);

test('results are redacted before the model reads them, text blocks too', async () => {
  const tool = buildTool({
    name: 'Leak',
    description: 'x',
    inputSchema: z.object({ blocks: z.boolean() }),
    call: ({ blocks }) => ({ data: blocks }),
    mapToolResultToToolResultBlockParam: (blocks) => ({
      content: blocks
        ? [
            { type: 'text', text: `key ${secrets['github']}` },
            { type: 'image', source: 'x' },
          ]
        : `key ${secrets['github']} own-42`,
    }),
  });
  const gate = createToolgate({
    tools: [tool],
    permissions: () => allow('x', 'all'),
    plugins: [redaction({ forms: [/own-\d+/g] })],
  });
  const contentOf = async (blocks: boolean) =>
    (await gate.run({ type: 'tool_use', id: `${blocks}`, name: 'Leak', input: { blocks } })).block
      .content;

  expect(await contentOf(false)).toBe('key [redacted github] [redacted own]');
  expect(await contentOf(true)).toEqual([
    { type: 'text', text: 'key [redacted github]' },
    { type: 'image', source: 'x' },
  ]);
  await gate.close();
});
