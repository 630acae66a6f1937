import type { ContentBlock } from './messages.ts';

/** How files of the pictures begin that the Messages API takes, in hexadecimal. */
const pictures: readonly (readonly [type: string, begins: RegExp])[] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^474946383[79]61/],
  ['image/webp', /^52494646.{8}57454250/],
];

/** Bytes as a block: a picture where they are one, else data that a model is only told of. */
export function blockOfBytes(bytes: Uint8Array): ContentBlock {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = buffer.toString('hex', 0, 16);
  const type = pictures.find(([, begins]) => begins.test(head))?.[0];
  return {
    type: type ? 'image' : 'binary',
    source: {
      type: 'base64',
      media_type: type ?? 'application/octet-stream',
      data: buffer.toString('base64'),
    },
  };
}
