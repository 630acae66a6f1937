import { randomBytes } from 'node:crypto';
import {
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
  fsyncSync,
} from 'node:fs';
import { dirname } from 'node:path';

/**
 * The key of the chain, 32 bytes as base64 in a file of mode 0600; made when it is not there. It belongs outside
 * of every working folder: whoever has it can write a log that verifies.
 *
 * @throws Error for a file that holds no such key.
 */
export function auditKey(file: string, make: boolean): Buffer {
  const there = read(file);
  if (there) return there;
  if (!make) throw new Error(`there is no key ${file}`);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const handle = openSync(temporary, 'wx', 0o600);
  try {
    writeSync(handle, `${randomBytes(32).toString('base64')}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  try {
    linkSync(temporary, file); // whoever is first has made it
  } catch (thrown) {
    if (Object(thrown).code !== 'EEXIST') throw thrown;
  } finally {
    rmSync(temporary, { force: true });
  }
  return auditKey(file, false);
}

function read(file: string): Buffer | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (thrown) {
    if (Object(thrown).code === 'ENOENT') return undefined;
    throw thrown;
  }
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length !== 32) throw new Error(`${file} holds no audit key`);
  return key;
}
