import { homedir } from 'node:os';
import type { Diagnostic, RuleEntry } from '@toolgate/core';
import { compileRules } from './compile-rules.ts';

/** Every rule that is dropped, ignored or does not mean what it seems to, each in one line with its place. */
export const ruleDiagnostics = (rules: readonly RuleEntry[]): readonly Diagnostic[] =>
  compileRules(rules, homedir()).diagnostics;
