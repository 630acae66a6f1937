const magics: readonly (readonly [string, string])[] = [
  ['\x89PNG', 'a PNG image'],
  ['\xff\xd8\xff', 'a JPEG image'],
  ['GIF8', 'a GIF image'],
  ['BM', 'a BMP image'],
  ['II*\0', 'a TIFF image'],
  ['MM\0*', 'a TIFF image'],
  ['\0\0\x01\0', 'an icon'],
  ['%PDF-', 'a PDF document'],
  ['PK\x03\x04', 'a ZIP archive'],
  ['\x1f\x8b', 'gzip data'],
  ['BZh', 'bzip2 data'],
  ['\xfd7zXZ', 'xz data'],
  ['\x28\xb5\x2f\xfd', 'zstd data'],
  ['7z\xbc\xaf', 'a 7-Zip archive'],
  ['Rar!', 'a RAR archive'],
  ['\x7fELF', 'an ELF program'],
  ['MZ', 'a Windows program'],
  ['\xca\xfe\xba\xbe', 'a Java class or macOS program'],
  ['\xcf\xfa\xed\xfe', 'a macOS program'],
  ['\0asm', 'a WebAssembly module'],
  ['SQLite format 3', 'an SQLite database'],
  ['ID3', 'an MP3 recording'],
  ['OggS', 'an Ogg recording'],
  ['fLaC', 'a FLAC recording'],
  ['\xff\xfe\0\0', 'UTF-32 text (convert it with iconv)'],
  ['\0\0\xfe\xff', 'UTF-32 text (convert it with iconv)'],
  ['wOFF', 'a WOFF font'],
  ['wOF2', 'a WOFF2 font'],
];

/** How many bytes decide what a file is. */
export const sniffBytes = 8_192;

/** How a text's bytes are to be read; UTF-16 is known by its byte-order mark alone. */
export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** The encoding of a text file by its first bytes. */
export function encodingOf(start: Uint8Array): TextEncoding {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  return start[0] === 0xfe && start[1] === 0xff ? 'utf-16be' : 'utf-8';
}

/** What a file seems to be when it is not text: a NUL among its first bytes, or PDF. Undefined for text. */
export function binaryKind(start: Uint8Array): string | undefined {
  const head = headOf(start);
  const text = head.toString('latin1', 0, 16);
  const isUtf32 = text.startsWith('\xff\xfe\0\0');
  if (!isUtf32 && encodingOf(start) !== 'utf-8') return undefined;
  if (!isPdf(start) && !head.includes(0)) return undefined;
  if (text.startsWith('RIFF')) return riffKinds[text.slice(8, 12)] ?? 'RIFF media';
  if (text.slice(4, 8) === 'ftyp') return 'an MP4 film or HEIF image';
  return magics.find(([magic]) => text.startsWith(magic))?.[1] ?? 'binary data';
}

const riffKinds: Readonly<Record<string, string>> = {
  WEBP: 'a WebP image',
  WAVE: 'a WAV recording',
  'AVI ': 'an AVI film',
};

/** True for the first bytes of a PDF document. */
export const isPdf = (start: Uint8Array): boolean =>
  headOf(start).toString('latin1', 0, 5) === '%PDF-';

/** The media type of an image that models can see; undefined for whatever else. */
export function imageType(start: Uint8Array): string | undefined {
  const text = headOf(start).toString('latin1', 0, 16);
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(text)) return 'image/gif';
  return text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP' ? 'image/webp' : undefined;
}

const headOf = (start: Uint8Array): Buffer =>
  Buffer.from(start.buffer, start.byteOffset, Math.min(start.length, sniffBytes));
