// Finds the code blocks of README.md that a program uses: `<!-- NAME -->` stands on the line
// before the fence, for example `<!-- program -->` before the program of the first page.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** The text of every block marked with the name, in order; none without the file. */
export function markedBlocks(name, file = join(root, 'README.md')) {
  if (!existsSync(file)) return [];
  const text = readFileSync(file, 'utf8').replaceAll('\r\n', '\n');
  const block = new RegExp(`^<!-- ${name} -->\\n\\s*\`\`\`\\w*\\n([\\s\\S]*?)^\`\`\`$`, 'gm');
  return [...text.matchAll(block)].map((match) => match[1]);
}
