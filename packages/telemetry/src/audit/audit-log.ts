import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { definePlugin, type Decision, type PermittedCall, type TrailEntry } from '@toolgate/core';
import { redactSecrets } from '../redact/redact-secrets.ts';
import { auditKey } from './audit-key.ts';
import { openAuditWriter, type AuditWriter } from './audit-writer.ts';
import type { ChainHead } from './chain.ts';

/** Where the log is, and what it says. */
export interface AuditLogOptions {
  /** The log, JSON Lines. */
  readonly file: string;
  /** The key of the chain; made when it is not there. Default: `~/.toolgate/audit.key`. */
  readonly keyFile?: string;
  /** Where the head is kept beside. Default: below `~/.toolgate/audit-heads`, by the log's path. */
  readonly headFile?: string;
  /** What of inputs is written: their text without known secrets (default), or their SHA-256 alone. */
  readonly input?: 'redacted' | 'digest';
  /** A file is put aside when it is this long, in bytes. Default 64 MiB. */
  readonly maxBytes?: number;
  /** Flushes to the disk itself before a tool runs. Default false: lines survive the process, not the machine. */
  readonly sync?: boolean;
  /** Whether a tool may run when its line cannot be written. Default false. */
  readonly runsUnaudited?: boolean;
  /** Hears of the head when the log is closed: a third place to keep it. */
  readonly onHead?: (head: ChainHead) => void;
}

/** Longest input that is written whole, in characters of its JSON. */
const longestInput = 4_096;

/** The usual places of key and head. */
export const auditPlaces = (
  file: string,
  home: string = homedir(),
): { readonly keyFile: string; readonly headFile: string } => ({
  keyFile: join(home, '.toolgate', 'audit.key'),
  headFile: join(
    home,
    '.toolgate',
    'audit-heads',
    `${createHash('sha256').update(resolve(file)).digest('hex').slice(0, 32)}.json`,
  ),
});

/**
 * Writes who asked what, what was decided by which rule or person, what ran and how it ended: JSON Lines in a
 * keyed chain (security rule 25). A tool runs only when its line is written.
 *
 * @throws Error, as a load error, when the log cannot be opened or another process writes it.
 */
export const auditLog = definePlugin<AuditLogOptions>({
  name: '@toolgate/audit-log',
  setup(gate, options) {
    const places = { ...auditPlaces(options.file), ...options };
    const writer: AuditWriter = openAuditWriter({
      file: options.file,
      headFile: places.headFile,
      key: auditKey(places.keyFile, true),
      maxBytes: options.maxBytes ?? 64 * 1_024 * 1_024,
      sync: options.sync ?? false,
    });
    const { sessionId: session } = gate;
    let hasFailed = false;
    const note = (line: Promise<void>) =>
      line.catch((thrown: unknown) => {
        if (!hasFailed)
          gate.diagnostic({
            code: 'audit-failed',
            severity: 'error',
            message: `the audit log cannot be written: ${thrown instanceof Error ? thrown.message : 'it failed'}`,
          });
        hasFailed = true;
        throw thrown;
      });
    const quietly = (line: Promise<void>) => void note(line).catch(() => undefined);

    gate.hooks.lookup.tap('audit', async ({ id, name, input }) => {
      const facts = await inputFacts(input, options.input);
      quietly(writer.write('asked', { session, id, tool: name, ...facts }));
      return undefined;
    });
    // Before anything runs, and only when it is written.
    gate.hooks.execute.tap('audit', async (call) => {
      const written = note(writer.write('decided', { session, ...decidedFacts(call) }));
      await (options.runsUnaudited ? written.catch(() => undefined) : written);
      return undefined;
    });
    gate.hooks.emit.tap('audit', async ({ block, outcome, code, decision, durationMs }) => {
      const id = block.tool_use_id;
      const ran = outcome === 'ok' || outcome === 'failed';
      await note(
        writer.write('ended', {
          session,
          id,
          outcome,
          ...(code !== undefined && { code }),
          ...(block.is_error && { isError: true }),
          ...(!ran && decision && decisionFacts(decision)),
          ms: Math.round(durationMs),
        }),
      );
      return undefined;
    });
    gate.onClose(async () => {
      await writer.close();
      options.onHead?.(writer.head());
    });
  },
});

async function inputFacts(
  input: unknown,
  form: AuditLogOptions['input'] = 'redacted',
): Promise<Readonly<Record<string, unknown>>> {
  const json = JSON.stringify(input) ?? 'null';
  const sha256 = createHash('sha256').update(json).digest('hex');
  if (form === 'digest') return { sha256 };
  const redacted = await redactSecrets(json).catch(() => undefined);
  if (!redacted) return { sha256 };
  const { text } = redacted;
  return text.length <= longestInput
    ? { sha256, input: text }
    : { sha256, input: text.slice(0, longestInput), cutAt: longestInput };
}

const decidedFacts = (call: PermittedCall): Readonly<Record<string, unknown>> => ({
  id: call.toolUse.id,
  tool: call.tool.name,
  cwd: call.cwd,
  digest: call.digest,
  revision: call.revision,
  ...(call.userModified && { userModified: true }),
  ...decisionFacts(call.decision),
});

/** What was decided, and by whom: the entries of the trail that say so, with rule, file and line. */
function decisionFacts({ behavior, reason, trail }: Decision): Readonly<Record<string, unknown>> {
  const said = trail.filter((entry) => entry.behavior === behavior);
  return { decision: behavior, reason: reason.slice(0, 500), by: said.map(whoOf) };
}

const whoOf = ({ step, from, plugin, rule }: TrailEntry): Readonly<Record<string, unknown>> => ({
  step,
  from,
  plugin,
  ...(rule && {
    rule: rule.text,
    source: rule.source,
    ...(rule.file !== undefined && { file: rule.file }),
    ...(rule.line !== undefined && { line: rule.line }),
  }),
});
