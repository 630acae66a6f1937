export { auditLog, auditPlaces, type AuditLogOptions } from './audit/audit-log.ts';
export { auditKey } from './audit/audit-key.ts';
export { readHead } from './audit/audit-writer.ts';
export type { ChainHead } from './audit/chain.ts';
export { verifyAudit, type AuditProblem, type AuditReport } from './audit/verify-audit.ts';
export { classifyToolError } from './classify-tool-error.ts';
export {
  createOpenTelemetry,
  openTelemetry,
  type OpenTelemetry,
  type OpenTelemetryOptions,
} from './otel/open-telemetry.ts';
export { redactSecrets, type Redacted } from './redact/redact-secrets.ts';
export { redactStream } from './redact/redact-stream.ts';
export { redaction, type RedactionOptions } from './redact/redaction.ts';
