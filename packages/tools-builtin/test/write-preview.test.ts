import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createToolgate, type PermissionPrompt } from '@toolgate/core';
import { expect, test } from 'vitest';
import { write } from '../src/write/index.ts';

/** What a person is shown of a Write. */
async function preview(file: string, content: string, before?: string | Uint8Array) {
  const cwd = mkdtempSync(join(tmpdir(), 'write-preview-'));
  if (before !== undefined) writeFileSync(join(cwd, file), before);
  const prompts: PermissionPrompt[] = [];
  const gate = createToolgate({
    tools: [{ ...write, validateInput: () => ({ result: true }) }],
    cwd,
    dialog: async (prompt) => (prompts.push(prompt), undefined),
  });
  await gate.run({ type: 'tool_use', id: 't', name: 'Write', input: { file_path: file, content } });
  const [shown] = prompts.map((prompt) => prompt.preview);
  return shown?.type === 'diff' ? shown.patch.split('\n') : shown;
}
const lines = (text: string) => text.split('').join('\n') + '\n';

test('of a file that is there, what would change', async () => {
  expect(await preview('a', lines('abcdeXghij'), lines('abcdefghij'))).toEqual([
    '@@ -3,7 +3,7 @@',
    ' c',
    ' d',
    ' e',
    '-f',
    '+X',
    ' g',
    ' h',
    ' i',
  ]);
  expect(await preview('a', 'b\n', '')).toEqual(['@@ -1,0 +1,1 @@', '+b']);
});

test('of a new file all of it, and of one that is too large to look at as well', async () => {
  expect(await preview('a', 'x\ny\n')).toEqual(['+x', '+y']);
  expect(await preview('a', 'x\n', Buffer.alloc(1_000_001))).toEqual(['+x']);
});
