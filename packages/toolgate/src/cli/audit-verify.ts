import { existsSync } from 'node:fs';
import { visibleText } from '@toolgate/core';
import {
  auditKey,
  auditPlaces,
  readHead,
  verifyAudit,
  type AuditReport,
  type ChainHead,
} from '@toolgate/telemetry';
import { writeLine, writeText } from './output.ts';
import { UsageError } from './usage-error.ts';

/** The flags of `audit verify`. */
export interface AuditVerifyFlags {
  readonly key: string;
  readonly head: string;
  readonly text: boolean;
}

/** `toolgate audit verify`. Answers with the exit code. */
export async function auditVerify(file: string, flags: Partial<AuditVerifyFlags>): Promise<number> {
  if (!existsSync(file)) throw new UsageError(`audit log ${file}: there is no such file`);
  const places = auditPlaces(file);
  const report = await verifyAudit(file, {
    key: keyIn(flags.key ?? places.keyFile),
    head: headIn(flags.head, places.headFile),
  });
  await (flags.text ? writeText(sentences(report)) : writeLine(report));
  return report.ok ? 0 : 1;
}

function keyIn(file: string): Buffer {
  try {
    return auditKey(file, false);
  } catch (thrown) {
    throw new UsageError(
      `--key ${file}: ${thrown instanceof Error ? thrown.message : 'it cannot be read'}`,
    );
  }
}

function headIn(given: string | undefined, usual: string): ChainHead | undefined {
  if (given === undefined) return readHead(usual);
  const [, seq, mac] = /^(\d+)[:,]\s*([\w-]{43})$/.exec(given) ?? [];
  if (seq !== undefined && mac !== undefined) return { seq: Number(seq), mac };
  const head = readHead(given);
  if (!head) throw new UsageError(`--head ${given}: neither SEQ:MAC nor a file that holds a head`);
  return head;
}

function sentences(report: AuditReport): string {
  const { ok, lines, files, repaired, unclosed, problems, proves, cannotProve } = report;
  const all = [
    ok ? `Nothing is wrong with the ${lines} lines.` : `Something is wrong:`,
    ...problems.map(
      ({ file, line, message }) => `  ${file}${line === undefined ? '' : `:${line}`}: ${message}`,
    ),
    ...(files.length > 1 ? [`The log is in ${files.length} files.`] : []),
    ...(repaired > 0 ? [`${repaired} unfinished line(s) of a killed writer were noted.`] : []),
    ...(unclosed > 0 ? [`${unclosed} writer(s) ended without a word, or still run.`] : []),
    ...(ok ? proves.map((one) => `This shows ${one}.`) : []),
    ...cannotProve.map((one) => `It cannot show ${one}.`),
  ];
  return `${all.map((line) => visibleText(line)).join('\n')}\n`;
}
