import type { Command } from 'commander';
import type { AuditVerifyFlags } from './audit-verify.ts';
import { UsageError } from './usage-error.ts';

/** `toolgate audit verify`. */
export function addAudit(parent: Command): void {
  const audit = parent
    .command('audit')
    .description('Checks a log that run --audit wrote.')
    .helpCommand(false)
    .action(() => {
      throw new UsageError('audit what? audit verify; see toolgate audit --help');
    });
  audit
    .command('verify')
    .description(
      'Says whether a line of an audit log was changed, moved, taken out or cut off, and what cannot be told. Exit code 1 when something is wrong.',
    )
    .argument('<file>', 'the log; the files before it are found by themselves')
    .allowExcessArguments(false)
    .option('--key <file>', 'the key of the chain; ~/.toolgate/audit.key without it')
    .option(
      '--head <head>',
      'the head that was kept: a file, or SEQ:MAC; the usual place without it',
    )
    .option('--text', 'write sentences instead of JSON')
    .action(async (file: string, flags: Partial<AuditVerifyFlags>) => {
      const { auditVerify } = await import('./audit-verify.ts');
      process.exitCode = await auditVerify(file, flags);
    });
}
