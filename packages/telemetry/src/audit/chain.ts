import { createHmac } from 'node:crypto';

/** What an audit line says. `seq` counts from 1 over all files of a log. */
export interface AuditEntry {
  readonly seq: number;
  /** When it was written, as ISO 8601. */
  readonly time: string;
  readonly event: 'opened' | 'asked' | 'decided' | 'ended' | 'repaired' | 'rotated' | 'closed';
  readonly [fact: string]: unknown;
}

/** The end of a chain: the line that was written last. */
export interface ChainHead {
  readonly seq: number;
  readonly mac: string;
}

/** Before the first line. */
export const noHead: ChainHead = { seq: 0, mac: '' };

/** The MAC of a line: keyed, over the line and the MAC before it, so that no line can be changed, moved or left out. */
export const macOf = (key: Buffer, before: ChainHead, body: string): string =>
  createHmac('sha256', key).update(before.mac).update('\n').update(body).digest('base64url');

/** A line of the file, without its line feed. The MAC comes last, behind everything it covers. */
export function lineOf(
  key: Buffer,
  before: ChainHead,
  entry: AuditEntry,
): { readonly line: string; readonly head: ChainHead } {
  const body = JSON.stringify(entry);
  const mac = macOf(key, before, body);
  return {
    line: `${body.slice(0, -1)},"mac":${JSON.stringify(mac)}}`,
    head: { seq: entry.seq, mac },
  };
}

/** A line as it was written, or undefined for what is none. */
export function readLine(
  line: string,
): { readonly entry: AuditEntry; readonly body: string; readonly mac: string } | undefined {
  const at = line.lastIndexOf(',"mac":"');
  if (at < 0) return undefined;
  const body = `${line.slice(0, at)}}`;
  try {
    const { mac } = JSON.parse(`{${line.slice(at + 1)}`) as { readonly mac?: unknown }; // only read
    const entry = JSON.parse(body) as AuditEntry; // its MAC says whether we wrote it
    if (typeof mac !== 'string' || typeof entry.seq !== 'number') return undefined;
    return { entry, body, mac };
  } catch {
    return undefined;
  }
}
