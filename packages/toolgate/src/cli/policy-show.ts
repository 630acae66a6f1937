import {
  visibleText,
  type Diagnostic,
  type Provenance,
  type SettingsSnapshot,
} from '@toolgate/core';
import { makeGate, type DecidingFlags } from './make-gate.ts';
import { describe, writeLine, writeText } from './output.ts';
import { createTeller } from './teller.ts';

/** The flags of `policy show`. */
export interface PolicyShowFlags extends DecidingFlags {
  readonly text: boolean;
}

/** What a diagnostic says when trust or a managed key keeps something from counting. */
const heldBackCodes = new Set([
  'held-back',
  'setting-ignored',
  'mode-switched-off',
  'settings-waiting',
  'policy-endpoint',
]);

/** `toolgate policy show`. Answers with the exit code. */
export async function policyShow(flags: PolicyShowFlags): Promise<number> {
  const teller = createTeller(false);
  const held: Diagnostic[] = [];
  const gate = await makeGate(flags, {
    onDiagnostic: (diagnostic) => {
      if (heldBackCodes.has(diagnostic.code)) held.push(diagnostic);
      else teller.diagnostic(diagnostic);
    },
    tell: (text) => teller.note(text),
  });
  try {
    for (const line of linesOf(gate.policy.snapshot(), held, flags))
      await (flags.text ? writeText(`${sentence(line)}\n`) : writeLine(line));
    teller.end();
    return 0;
  } finally {
    await gate.close();
  }
}

type Line =
  | ({
      readonly kind: 'mode';
      readonly mode: string;
      readonly disabled?: readonly string[];
    } & Partial<Provenance>)
  | ({ readonly kind: 'rule'; readonly behavior: string; readonly rule: string } & Provenance)
  | { readonly kind: 'directory'; readonly path: string }
  | ({ readonly kind: 'held-back' } & Pick<
      Diagnostic,
      'code' | 'message' | 'file' | 'line' | 'pointer'
    >);

function linesOf(
  settings: SettingsSnapshot,
  held: readonly Diagnostic[],
  flags: PolicyShowFlags,
): readonly Line[] {
  const { mode, modeFrom, switchedOff = [], rules, directories } = settings;
  const from = flags.mode === undefined ? modeFrom : { source: 'cliArg' as const };
  return [
    { kind: 'mode', mode, ...from, ...(switchedOff.length > 0 && { disabled: switchedOff }) },
    ...(['deny', 'ask', 'allow'] as const).flatMap((behavior) =>
      rules
        .filter((rule) => rule.behavior === behavior)
        .map(({ text, source, file, line, pointer }) => ({
          kind: 'rule' as const,
          behavior,
          rule: text,
          source,
          ...(file !== undefined && { file }),
          ...(line !== undefined && { line }),
          ...(pointer !== undefined && { pointer }),
        })),
    ),
    ...directories.map((path) => ({ kind: 'directory' as const, path })),
    ...held.map(({ code, message, file, line, pointer }) => ({
      kind: 'held-back' as const,
      code,
      message,
      ...(file !== undefined && { file }),
      ...(line !== undefined && { line }),
      ...(pointer !== undefined && { pointer }),
    })),
  ];
}

const placeOf = ({ source, file, line }: Partial<Provenance>): string =>
  file === undefined
    ? (source ?? 'by default')
    : `${source ?? ''} ${file}${line === undefined ? '' : `:${line}`}`;

function sentence(line: Line): string {
  switch (line.kind) {
    case 'mode':
      return visibleText(
        `mode ${line.mode} (${placeOf(line)})${line.disabled ? `; switched off: ${line.disabled.join(', ')}` : ''}`,
      );
    case 'rule':
      return visibleText(`${line.behavior} ${line.rule} (${placeOf(line)})`);
    case 'directory':
      return visibleText(`folder ${line.path}`);
    case 'held-back':
      return visibleText(
        `held back: ${describe({ ...line, severity: 'info' }).replace(/^info: /, '')}`,
      );
  }
}
