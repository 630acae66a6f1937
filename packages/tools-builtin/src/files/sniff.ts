const magics: readonly (readonly [string, string])[] = [
  ['\x89PNG', 'a PNG image'],
  ['\xff\xd8\xff', 'a JPEG image'],
  ['GIF8', 'a GIF image'],
  ['%PDF-', 'a PDF document'],
  ['PK\x03\x04', 'a ZIP archive'],
  ['\x1f\x8b', 'gzip data'],
  ['BZh', 'bzip2 data'],
  ['\xfd7zXZ', 'xz data'],
  ['\x28\xb5\x2f\xfd', 'zstd data'],
  ['7z\xbc\xaf', 'a 7-Zip archive'],
  ['\x7fELF', 'an ELF program'],
  ['MZ', 'a Windows program'],
  ['\xca\xfe\xba\xbe', 'a Java class or macOS program'],
  ['\xcf\xfa\xed\xfe', 'a macOS program'],
  ['\0asm', 'a WebAssembly module'],
  ['SQLite format 3', 'an SQLite database'],
  ['\xff\xfe', 'UTF-16 text (convert it with iconv)'],
  ['\xfe\xff', 'UTF-16 text (convert it with iconv)'],
];

/** How many bytes decide whether a file is text. */
export const sniffBytes = 8_192;

/** What a file seems to be when it is not text: a NUL among its first bytes, or PDF. Undefined for text. */
export function binaryKind(start: Uint8Array): string | undefined {
  const head = Buffer.from(start.buffer, start.byteOffset, Math.min(start.length, sniffBytes));
  const isPdf = head.subarray(0, 5).toString('latin1') === '%PDF-';
  if (!isPdf && !head.includes(0) && !/^\xff\xfe|^\xfe\xff/.test(head.toString('latin1', 0, 2)))
    return undefined;
  const text = head.toString('latin1', 0, 16);
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return 'a WebP image';
  return magics.find(([magic]) => text.startsWith(magic))?.[1] ?? 'binary data';
}

const unsupported: readonly (readonly [RegExp, string])[] = [
  [/\.(png|jpe?g|gif|webp|bmp|ico|tiff?)$/i, 'Images'],
  [/\.pdf$/i, 'PDF documents'],
  [/\.ipynb$/i, 'Notebooks'],
];

/** One line for kinds of files that a later version reads. */
export function notSupportedYet(path: string): string | undefined {
  const kind = unsupported.find(([pattern]) => pattern.test(path))?.[1];
  return kind && `${kind} are not supported yet.`;
}
