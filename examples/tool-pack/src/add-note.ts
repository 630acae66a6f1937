import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { buildTool } from '@toolgate/core';
import { z } from 'zod';
import { approvedPath } from './approved-path.ts';

/** AddNote: one more line in a file of notes. It writes, so it says nothing of its own about permission. */
export const addNote = buildTool({
  name: 'AddNote',
  description: 'Adds a line to a file of notes, which is made if there is none.',
  inputSchema: z.strictObject({
    file_path: z.string().min(1).describe('Path of the notes, ending in .md'),
    note: z.string().min(1).max(1_000).describe('One line'),
  }),
  pathFields: { file_path: 'Edit' },
  validateInput({ file_path, note }) {
    if (!file_path.endsWith('.md'))
      return { result: false, message: 'Notes end in .md.', errorCode: 1 };
    if (/[\r\n]/.test(note))
      return { result: false, message: 'A note is one line; send several.', errorCode: 2 };
    return { result: true };
  },
  async call({ file_path, note }, context) {
    const flags =
      constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
    const file = await open(approvedPath(file_path, context), flags);
    try {
      await file.write(`- ${note}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    return { data: { added: note } };
  },
  mapToolResultToToolResultBlockParam: ({ added }: { added: string }) => ({
    content: `Noted: ${added}`,
  }),
  renderToolUseMessage: ({ note }) => ({ type: 'diff', patch: `+- ${note}` }),
});
