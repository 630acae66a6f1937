import { lstat, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Stats } from 'node:fs';
import { encodingOf } from '../files/file-kind.ts';
import { openEntry, type OpenedFile } from '../files/open-approved.ts';
import { openFolder, type OpenedFolder } from '../files/opened-folder.ts';
import { readAll } from '../files/text-format.ts';

/** A line as ripgrep saw it. */
export interface SeenLine {
  /** Where it begins, in bytes of the text without its byte-order mark. */
  readonly offset: number;
  readonly bytes: Buffer;
}

/** UTF-16 files are read whole to be compared. */
const maxUtf16Bytes = 64 * 1024 * 1024;

/**
 * Looks at what a search found once more, through opened folders: what another program reported is shown
 * only if it stands in a file below the root. A folder replaced by a link while the search ran could
 * otherwise bring in what lies outside (security rule 11).
 */
export class Confirmer {
  readonly #root: string;
  readonly #shown: string;
  #folder: OpenedFolder | undefined;

  constructor(root: { readonly realPath: string; readonly path: string }) {
    this.#root = root.realPath;
    this.#shown = root.path;
  }

  /** The entry of a file below the root, if it is one. */
  async statsOf(relative: string): Promise<Stats | undefined> {
    try {
      const { folder, name } = await this.#place(relative);
      const stats = await lstat(folder.at(name));
      return stats.isFile() ? stats : undefined;
    } catch {
      return undefined;
    }
  }

  /** Opens a file below the root to have its lines confirmed; undefined when there is none. */
  async open(relative: string): Promise<ConfirmedFile | undefined> {
    try {
      const { folder, name } = await this.#place(relative);
      const opened = await openEntry(folder.at(name), relative);
      return opened && (await ConfirmedFile.of(opened));
    } catch {
      return undefined;
    }
  }

  async close(): Promise<void> {
    await this.#folder?.handle.close();
    this.#folder = undefined;
  }

  async #place(relative: string) {
    const path = join(this.#root, relative);
    const realPath = dirname(path);
    if (this.#folder?.realPath !== realPath) {
      await this.close();
      this.#folder = await openFolder(realPath, this.#shown);
    }
    return { folder: this.#folder, name: path.slice(realPath.length).replace(/^\//, '') };
  }
}

/** A file in whose bytes lines are looked for. */
export class ConfirmedFile {
  readonly stats: Stats;
  readonly #handle: FileHandle;
  readonly #skip: number;
  readonly #decoded: Buffer | undefined;

  private constructor(file: OpenedFile, skip: number, decoded: Buffer | undefined) {
    this.stats = file.stats;
    this.#handle = file.handle;
    this.#skip = skip;
    this.#decoded = decoded;
  }

  static async of(file: OpenedFile): Promise<ConfirmedFile> {
    const start = Buffer.alloc(3);
    const { bytesRead } = await file.handle.read(start, 0, 3, 0);
    const head = start.subarray(0, bytesRead);
    const encoding = encodingOf(head);
    if (encoding === 'utf-8') {
      const hasMark = head.equals(Buffer.from('\uFEFF'));
      return new ConfirmedFile(file, hasMark ? 3 : 0, undefined);
    }
    const size = Math.min(file.stats.size, maxUtf16Bytes);
    const text = new TextDecoder(encoding).decode(await readAll(file.handle, size));
    return new ConfirmedFile(file, 0, Buffer.from(text));
  }

  /** True when the bytes stand there. */
  async has({ offset, bytes }: SeenLine): Promise<boolean> {
    if (this.#decoded) return this.#decoded.subarray(offset, offset + bytes.length).equals(bytes);
    const found = Buffer.alloc(bytes.length);
    const { bytesRead } = await this.#handle.read(found, 0, bytes.length, offset + this.#skip);
    return bytesRead === bytes.length && found.equals(bytes);
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
