import type { Warning } from '@toolgate/core';
import {
  analyse,
  anyFolder,
  anyHome,
  type AnalysedCommand,
  type Analysis,
  type AnalyseOptions,
} from './analyse.ts';
import type { Problem } from './bash/model.ts';
import { listCommands } from './bash/list-commands.ts';
import { literal } from './read-only/verdict.ts';
import { suggestRule } from './warnings/suggest.ts';
import { findWarnings } from './warnings/find-warnings.ts';

/** What a Bash text does, without regard to where it runs. */
export interface BashClassification {
  /** Proved to change nothing, given that all `needs` hold. */
  readonly readOnly: boolean;
  readonly destructive: boolean;
  /** It may run beside other calls. */
  readonly concurrencySafe: boolean;
  readonly warnings: readonly Warning[];
  /** Every simple command, nested ones too, as source words. */
  readonly subcommands: readonly string[];
  readonly suggestedRules: readonly string[];
  /** Checks that must hold where it runs: `git-context`, `cd-inside-project`. */
  readonly needs: readonly string[];
  readonly problems: readonly Problem[];
}

/** Classifies a Bash text. Never throws; what cannot be proved is not read-only. */
export function classifyBash(text: string, options: AnalyseOptions = {}): BashClassification {
  const analysis = analyse(text, options);
  const { parsed, commands } = analysis;
  const facts = { cwd: options.cwd ?? anyFolder, home: options.home ?? anyHome, directories: [] };
  const { warnings, destructive } = findWarnings(analysis, facts);
  const readOnly = isReadOnly(analysis) && !commands.some((one) => leavesProject(one, analysis));
  return {
    readOnly,
    destructive,
    concurrencySafe: readOnly && isConcurrencySafe(analysis),
    warnings,
    subcommands: parsed.valid
      ? listCommands(parsed.script).map((command) =>
          command.words.map((word) => word.text).join(' '),
        )
      : [],
    suggestedRules: suggestionsOf(analysis),
    needs: readOnly ? needsOf(analysis) : [],
    problems: parsed.problems,
  };
}

/** True when every part is proved to read only, its needs apart. */
export const isReadOnly = ({ parsed, commands, writes, reasons }: Analysis): boolean =>
  parsed.valid &&
  reasons.length === 0 &&
  writes.length === 0 &&
  commands.every(({ verdict }) => verdict.answer === 'read-only');

/** Read-only, changes no folder that a session would keep, and shares no input. */
export const isConcurrencySafe = ({ parsed, commands }: Analysis): boolean =>
  parsed.problems.length === 0 &&
  commands.every(
    ({ visit, verdict }) =>
      (!visit || visit.moves.length === 0 || visit.inSubshell) &&
      !(verdict.answer === 'read-only' && verdict.readsInput && visit?.input.from === 'session'),
  );

export function needsOf({ commands }: Analysis): readonly string[] {
  const needs = new Set<string>();
  for (const { visit, verdict } of commands) {
    if (verdict.answer === 'read-only') for (const need of verdict.needs) needs.add(need.name);
    if (visit?.moves.some((path) => !visit.state.folders?.includes(path)))
      needs.add('cd-inside-project');
  }
  return [...needs].sort();
}

/** A git command that surely does not run in the project: its checks cannot hold. */
function leavesProject({ visit, verdict }: AnalysedCommand, { commands }: Analysis): boolean {
  if (verdict.answer !== 'read-only' || verdict.needs.length === 0) return false;
  const outside = (path: string) =>
    /^(?:\/|~|\.\.(?:\/|$))/.test(path) || /\/\.\.(?:\/|$)/.test(path);
  if (verdict.needs.some(({ folder }) => outside(literal(folder) ?? '.'))) return true;
  return commands.some(
    (one) =>
      one.visit !== visit &&
      (one.visit?.moves.length ?? 0) > 0 &&
      one.visit?.arguments
        .slice(1)
        .some((word) => word.texts.some((path) => outside(path)) || word.source.includes('~')),
  );
}

/** One rule for each command that is not read-only. */
export function suggestionsOf({ parsed, commands }: Analysis): readonly string[] {
  if (
    !parsed.valid ||
    parsed.problems.some(({ code }) => code === 'refused-character' || code === 'extended-glob')
  )
    return [];
  const rules = new Set<string>();
  for (const { command, visit, verdict } of commands) {
    if (!visit || verdict.answer === 'read-only') continue;
    const rule = suggestRule(command, visit);
    if (rule !== undefined) rules.add(rule);
  }
  return [...rules];
}
