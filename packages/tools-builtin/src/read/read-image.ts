import { fileError } from '../files/judged-path.ts';
import type { OpenedFile } from '../files/open-approved.ts';
import { readAll } from '../files/text-format.ts';
import type { ReadImage } from './read-output.ts';

/** Most bytes of a picture: what model providers take, less what base64 adds. */
const maxImageBytes = 3_750_000;

/** Reads a picture whole. @throws when it is too large for a model. */
export async function readImage(
  { handle, stats }: OpenedFile,
  path: string,
  type: string,
): Promise<ReadImage> {
  if (stats.size > maxImageBytes)
    throw fileError(
      `${path} has ${stats.size} bytes; a picture may have ${maxImageBytes}. Make a smaller copy of it and read that.`,
      'the picture is too large',
    );
  const bytes = await readAll(handle, stats.size);
  return {
    type: 'image',
    file: { filePath: path, base64: bytes.toString('base64'), type, originalSize: bytes.length },
  };
}
