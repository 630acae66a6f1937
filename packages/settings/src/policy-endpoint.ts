import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import type { Diagnostic } from '@toolgate/core';
import { z } from 'zod';
import { fileEntries, type FileEntries } from './file-entries.ts';
import { loadFile, maxFileBytes } from './load-file.ts';
import { writeWhole } from './save/write-whole.ts';

/** `policyEndpoint` of a managed settings file. */
const endpointSchema = z.strictObject({
  url: z.url({ protocol: /^https$/ }),
  /** Longest wait for an answer, in milliseconds. */
  timeoutMs: z.int().min(100).max(60_000).default(5_000),
  /** What holds while the policy was never had: nothing may run, or the other settings alone. */
  whenUnreachable: z.enum(['closed', 'open']).default('closed'),
  headers: z.record(z.string(), z.string()).default({}),
});
/** Where an organisation's policy is fetched. */
export type PolicyEndpoint = z.output<typeof endpointSchema>;

const copySchema = z.object({ url: z.string(), etag: z.string().optional(), text: z.string() });
type Copy = z.output<typeof copySchema>;

/** Reads `policyEndpoint`; of a wrong one the answer is what is wrong with it, and nothing may run then. */
export function readEndpoint(value: unknown): PolicyEndpoint | { readonly problem: string } {
  const parsed = endpointSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return { problem: `${issue?.path.join('.') || 'policyEndpoint'}: ${issue?.message ?? 'wrong'}` };
}

/**
 * Fetches the organisation's policy. The last good copy is kept with its ETag in `folder` (mode 0600) and holds
 * while the endpoint cannot be reached or sends nonsense. Never rejects.
 *
 * @param ca  Certificate authorities in place of the system's, in PEM form.
 */
export async function fetchPolicy(
  endpoint: PolicyEndpoint,
  { folder, ca }: { readonly folder: string; readonly ca?: string | undefined },
): Promise<FileEntries> {
  const { url, whenUnreachable } = endpoint;
  const file = join(folder, `${createHash('sha256').update(url).digest('hex').slice(0, 16)}.json`);
  const copy = readCopy(file, url);
  const fetched = await get(endpoint, copy?.etag, ca).catch((thrown: unknown) => ({
    problem: thrown instanceof Error ? thrown.message : 'it failed',
  }));
  if ('text' in fetched) {
    const entries = entriesOf(url, fetched.text);
    if (isWhole(entries)) {
      const kept: Copy = { url, text: fetched.text, ...(fetched.etag && { etag: fetched.etag }) };
      const saved = await save(folder, file, kept);
      return saved === undefined
        ? entries
        : withDiagnostic(entries, `its copy cannot be kept (${saved})`);
    }
  }
  const why =
    'text' in fetched
      ? 'it sent no valid settings'
      : 'problem' in fetched
        ? `it could not be reached (${fetched.problem})`
        : undefined;
  if (copy) {
    const entries = entriesOf(url, copy.text);
    return why === undefined
      ? entries
      : withDiagnostic(entries, `${why}; the last good copy holds`);
  }
  const nothing = entriesOf(url, '{}');
  return whenUnreachable === 'open'
    ? withDiagnostic(
        nothing,
        `${why ?? 'it said that nothing changed'}; it was never had, so it does not count ("whenUnreachable": "open")`,
      )
    : closed(url, `${why ?? 'it said that nothing changed'}, and was never had`);
}

/** Nothing may run: every tool is denied. */
export function closed(file: string, why: string): FileEntries {
  const nothing = entriesOf(file, '{"permissions": {"deny": ["*"]}}');
  return withDiagnostic(nothing, `${why}; nothing may run until it is there`, 'error');
}

const entriesOf = (file: string, text: string): FileEntries =>
  fileEntries({ source: 'policySettings', file, root: '/' }, text);

const isWhole = ({ diagnostics }: FileEntries): boolean =>
  !diagnostics.some(({ code, severity }) => code === 'settings-syntax' || severity === 'error');

function withDiagnostic(
  entries: FileEntries,
  what: string,
  severity: Diagnostic['severity'] = 'warning',
): FileEntries {
  const { file } = entries.from;
  const message = `Your organisation's policy: ${what}.`;
  return {
    ...entries,
    diagnostics: [{ code: 'policy-endpoint', severity, message, file }, ...entries.diagnostics],
  };
}

function readCopy(file: string, url: string): Copy | undefined {
  const loaded = loadFile(file, false);
  if (loaded.state !== 'text') return undefined;
  try {
    const copy = copySchema.parse(JSON.parse(loaded.text));
    return copy.url === url ? copy : undefined;
  } catch {
    return undefined;
  }
}

async function save(folder: string, file: string, copy: Copy): Promise<string | undefined> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeWhole(file, JSON.stringify(copy), 0o600);
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'it failed';
  }
}

type Fetched =
  | { readonly text: string; readonly etag: string | undefined }
  | { readonly unchanged: true };

function get(
  { url, timeoutMs, headers }: PolicyEndpoint,
  etag: string | undefined,
  ca: string | undefined,
): Promise<Fetched> {
  const signal = AbortSignal.timeout(timeoutMs);
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(why));
    const sent = request(url, {
      signal,
      agent: false,
      ...(ca !== undefined && { ca }),
      headers: {
        accept: 'application/json',
        ...headers,
        ...(etag !== undefined && { 'if-none-match': etag }),
      },
    });
    sent.once('error', (error: NodeJS.ErrnoException) =>
      fail(
        signal.aborted
          ? `no answer within ${timeoutMs} ms`
          : (error.code ?? 'the connection failed'),
      ),
    );
    sent.once('response', (response) => {
      if (response.statusCode === 304 && etag !== undefined) {
        response.destroy();
        return resolve({ unchanged: true });
      }
      if (response.statusCode !== 200) {
        response.destroy();
        return fail(`status ${response.statusCode}`);
      }
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size > maxFileBytes) {
          fail('it sent more than 1 MiB');
          response.destroy();
        }
      });
      response.once('error', () => fail('the answer broke off'));
      response.once('aborted', () => fail('the answer broke off'));
      response.once('end', () =>
        resolve({ text: Buffer.concat(chunks).toString('utf8'), etag: response.headers.etag }),
      );
    });
    sent.end();
  });
}
