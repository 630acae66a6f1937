import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { allow, buildTool } from '@toolgate/core';
import { z } from 'zod';
import { approvedPath } from './approved-path.ts';

/** CountWords: how many words a text file has, read line by line. */
export const countWords = buildTool({
  name: 'CountWords',
  description: 'Counts the words of a text file.',
  inputSchema: z.strictObject({
    file_path: z
      .string()
      .min(1)
      .describe('Path of the file, absolute or from the working directory'),
  }),
  // Rules for `Read(path)` bind the call, and its real path is worked out before anybody decides.
  pathFields: { file_path: 'Read' },
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  isIdempotent: () => true,
  // Counts for a trusted tool only; elsewhere a person or a rule has to say yes.
  checkPermissions: (_, context) => {
    const covers = context.effects.units.filter(
      ({ path }) => path === undefined || context.isInside(path),
    );
    return covers.length > 0
      ? allow('It only reads in the working directories.', covers)
      : { behavior: 'passthrough' };
  },
  async call({ file_path }, context, onProgress: (data: { readonly lines: number }) => void) {
    // A link that took the file's place since it was decided on is not followed.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const file = await open(approvedPath(file_path, context), flags);
    try {
      if (!(await file.stat()).isFile()) throw new Error(`${file_path} is no file.`);
      let [words, lines] = [0, 0];
      for await (const line of file.readLines({ autoClose: false })) {
        context.signal.throwIfAborted();
        words += line.split(/\s+/).filter(Boolean).length;
        lines += 1;
        if (lines % 10_000 === 0) onProgress({ lines });
      }
      return { data: { words, lines } };
    } finally {
      await file.close();
    }
  },
  mapToolResultToToolResultBlockParam: ({ words, lines }: { words: number; lines: number }) => ({
    content: `${words} words in ${lines} lines.`,
  }),
  getActivityDescription: ({ file_path }) => `Counting the words of ${file_path}`,
});
