import type { FileHandle } from 'node:fs/promises';
import { fileError } from './judged-path.ts';
import { binaryKind, encodingOf, type TextEncoding } from './file-kind.ts';

/** A text file's content with `\n` line ends and no BOM, and what it takes to write it back as it was. */
export interface TextFile {
  readonly text: string;
  readonly bom: boolean;
  readonly encoding: TextEncoding;
  /** The raw text has `\r\n` at these places of `text`, ascending. */
  readonly crlfAt: readonly number[];
}

/** Most bytes of a file that is edited. */
export const maxEditBytes = 64 * 1024 * 1024;

/** Reads a whole file as UTF-8, or UTF-16 with a byte-order mark. Refuses what could not be written back unharmed. */
export async function readText(handle: FileHandle, path: string): Promise<TextFile> {
  const { size } = await handle.stat();
  if (size > maxEditBytes)
    throw fileError(
      `${path} has ${size} bytes; the limit is ${maxEditBytes}. Use Bash.`,
      'the file is too large',
    );
  const bytes = await readAll(handle, size);
  const binary = binaryKind(bytes);
  if (binary) throw fileError(`${path} seems to be ${binary}, not text.`, 'a binary file');
  const encoding = encodingOf(bytes);
  const bom = encoding !== 'utf-8' || (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf);
  let raw: string;
  try {
    raw = new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    const name = encoding === 'utf-8' ? 'UTF-8' : 'UTF-16';
    throw fileError(`${path} is not valid ${name}; use Bash.`, `the file is not ${name}`);
  }
  return { ...withoutCr(raw), bom, encoding };
}

function encoded(text: string, encoding: TextEncoding): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text);
  const bytes = Buffer.from(text, 'utf16le');
  return encoding === 'utf-16le' ? bytes : bytes.swap16();
}

/** `handle.readFile` would read from where the last read ended. */
export async function readAll(handle: FileHandle, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await handle.read(bytes, filled, size - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

function withoutCr(raw: string): { readonly text: string; readonly crlfAt: readonly number[] } {
  const crlfAt: number[] = [];
  for (let at = raw.indexOf('\r\n'); at !== -1; at = raw.indexOf('\r\n', at + 2))
    crlfAt.push(at - crlfAt.length);
  return { text: crlfAt.length === 0 ? raw : raw.replaceAll('\r\n', '\n'), crlfAt };
}

/** True when most of the file's lines end with `\r\n`. */
export function isMostlyCrlf({ text, crlfAt }: TextFile): boolean {
  if (crlfAt.length === 0) return false;
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return crlfAt.length * 2 > lines;
}

/** The bytes of new text in the form of the old file: encoding, BOM and line ends as most of its lines have them. */
export function inFormOf(old: TextFile, text: string): Buffer {
  const body = isMostlyCrlf(old) && !text.includes('\r') ? text.replaceAll('\n', '\r\n') : text;
  return encoded(old.bom && !body.startsWith('\uFEFF') ? `\uFEFF${body}` : body, old.encoding);
}

/** Replaces parts of `old.text`, ascending and apart; every line not touched keeps its own line end. */
export function splice(
  old: TextFile,
  starts: readonly number[],
  change: { readonly length: number; readonly by: string },
): Buffer {
  const { text, crlfAt } = old;
  const crlf = isMostlyCrlf(old);
  const by = crlf ? change.by.replaceAll('\n', '\r\n') : change.by;
  const parts: string[] = old.bom ? ['\uFEFF'] : [];
  let next = 0;
  const copy = (from: number, to: number) => {
    while ((crlfAt[next] ?? Infinity) < from) next += 1;
    let at = from;
    for (; (crlfAt[next] ?? Infinity) < to; next += 1) {
      parts.push(text.slice(at, crlfAt[next]), '\r');
      at = crlfAt[next] ?? at;
    }
    parts.push(text.slice(at, to));
  };
  let from = 0;
  for (const start of starts) {
    copy(from, start);
    parts.push(by);
    from = start + change.length;
  }
  copy(from, text.length);
  return encoded(parts.join(''), old.encoding);
}
