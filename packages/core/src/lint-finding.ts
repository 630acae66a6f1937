import type { Diagnostic } from './settings-snapshot.ts';

/** A change of one place in a settings file, the one that its finding points at. */
export type LintEdit =
  | { readonly op: 'remove' }
  | { readonly op: 'replace'; readonly value: unknown }
  /** Gives a key another name. */
  | { readonly op: 'rename'; readonly key: string };

/** What to do about a finding. */
export interface LintFix {
  /** One sentence for people. */
  readonly message: string;
  /** Only where it is certain what was meant. No edit of a rule makes the rules allow more. */
  readonly edit?: LintEdit;
}

/** Something in a settings file that does not do what it says, or could say it more plainly. */
export interface LintFinding extends Diagnostic {
  readonly fix: LintFix;
}
