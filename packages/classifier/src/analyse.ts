import { isEnvironmentName } from './bash/environment-names.ts';
import { listCommands } from './bash/list-commands.ts';
import type { ParsedText, SimpleCommand } from './bash/model.ts';
import { parseBash } from './bash/parse.ts';
import { walk } from './bash/walk.ts';
import type { Visit, VisitedRedirect, Walked } from './bash/walked.ts';
import { isInertForReading } from './read-only/inert-assignments.ts';
import {
  addedCommands,
  type AddedCommands,
  type ReadOnlyCommands,
} from './read-only/added-commands.ts';
import { isJudged, judge } from './read-only/judge.ts';
import { argumentTrouble } from './read-only/paths.ts';
import { literal, unknown, type Verdict } from './read-only/verdict.ts';

/** What a text is read with: where the command would run, and what its environment may hold. */
export interface AnalyseOptions {
  /** Absolute. Default: a folder that stands for any. */
  readonly cwd?: string;
  readonly home?: string;
  /** Names that the commands' environment may hold. Default: those of this process. */
  readonly environmentNames?: readonly string[];
  /** Commands that only read, beside those this package knows. */
  readonly commands?: ReadOnlyCommands;
}

/** A simple command with all that is known of it. `visit` is absent for assignments and redirects alone. */
export interface AnalysedCommand {
  readonly command: SimpleCommand;
  readonly visit: Visit | undefined;
  readonly verdict: Verdict;
}

export interface Analysis {
  readonly parsed: ParsedText;
  readonly walked: Walked;
  /** Every simple command, nested ones too, as a pre-order walk meets them. */
  readonly commands: readonly AnalysedCommand[];
  /** Redirects that write, or may. */
  readonly writes: readonly VisitedRedirect[];
  /** Redirects that read a file. */
  readonly reads: readonly VisitedRedirect[];
  /** Reasons why the text as a whole is not read-only, beside its commands and writes. */
  readonly reasons: readonly string[];
}

export const anyFolder = '/home/user/project';
export const anyHome = '/home/user';

/** Reads a text and judges every command in it. Everything else in this package is drawn from this. */
export function analyse(text: string, options: AnalyseOptions = {}): Analysis {
  const parsed = parseBash(text);
  const names = new Set(options.environmentNames ?? Object.keys(process.env));
  const walked = walk(parsed.script, {
    cwd: options.cwd ?? anyFolder,
    home: options.home ?? anyHome,
    isEnvironmentName: (name) => isEnvironmentName(name, names),
  });
  const visits = new Map(walked.visits.map((visit) => [visit.command, visit]));
  const troubles = new Map(walked.troubles.map(({ command, reason }) => [command, reason]));
  const added = options.commands && readAdded(options.commands);
  const commands = listCommands(parsed.script, { bare: true }).map((command): AnalysedCommand => {
    const visit = visits.get(command);
    const trouble = troubles.get(command);
    return {
      command,
      visit,
      verdict: trouble === undefined ? verdictOf(command, visit, added) : unknown(trouble),
    };
  });
  const { inputs, writes } = sortRedirects(walked.redirects);
  const reasons = [
    ...parsed.problems.map((problem) => problem.message),
    ...walked.troubles.filter(({ command }) => !command).map(({ reason }) => reason),
    ...inputs.map((one) => inputTrouble(one)).filter((reason) => reason !== undefined),
  ];
  return {
    parsed,
    walked,
    commands,
    writes,
    reads: inputs.filter(({ redirect }) => redirect.operator === '<'),
    reasons,
  };
}

/** Tells inputs from redirects that write, or may. */
export function sortRedirects(redirects: readonly VisitedRedirect[]): {
  readonly inputs: readonly VisitedRedirect[];
  readonly writes: readonly VisitedRedirect[];
} {
  const inputs = redirects.filter(
    ({ redirect }) => !redirect.named && /^<(?!>)/.test(redirect.operator),
  );
  return {
    inputs,
    writes: redirects.filter((one) => !inputs.includes(one) && !isHarmlessOutput(one)),
  };
}

const tables = new WeakMap<ReadOnlyCommands, AddedCommands>();

/** Described once, however many commands are judged by it. */
export function readAdded(commands: ReadOnlyCommands): AddedCommands {
  const known = tables.get(commands) ?? addedCommands(commands, isJudged);
  tables.set(commands, known);
  return known;
}

function verdictOf(
  command: SimpleCommand,
  visit: Visit | undefined,
  added: AddedCommands | undefined,
): Verdict {
  if (!visit) return { answer: 'read-only', reads: [], needs: [], readsInput: false };
  const reads = literal(visit.arguments[0]) === 'read';
  // `IFS= read` is the usual way to read a line; for `read` alone the name has its effect and is gone.
  const assignment = command.assignments.find(
    (one) => !isInertForReading(one) && !(reads && /^IFS=(?:|\$?'[^']*'|[,:;|\t])$/.test(one.text)),
  );
  if (assignment) return unknown(`Setting ${assignment.name} may change what the command does.`);
  if (!visit.arguments[0]?.constant) return unknown('The name of the command is not written out.');
  const verdict = judge(visit.arguments, { input: visit.input, depth: 0, added });
  if (verdict.answer !== 'read-only') return verdict;
  const { folders } = visit.state;
  for (const read of verdict.reads) {
    const reason =
      read.argument && !read.argument.process && argumentTrouble(read.argument, folders);
    if (reason) return unknown(reason);
    if (!folders) return unknown('It is not known where the command reads.');
  }
  if (!folders && verdict.needs.length > 0)
    return unknown('It is not known where the command runs.');
  return verdict;
}

/** Output to `/dev/null`, and one stream joined to another. */
function isHarmlessOutput({ redirect, target }: VisitedRedirect): boolean {
  if (redirect.named || target?.kind !== 'literal') return false;
  const text = target.texts[0] ?? '';
  if (redirect.operator === '>&' && /^[12]$/.test(text)) return true;
  return text === '/dev/null' && redirect.operator !== '<>';
}

function inputTrouble({ redirect, target, state }: VisitedRedirect): string | undefined {
  if (redirect.operator === '<&')
    return target?.kind === 'literal' && /^[012-]$/.test(target.texts[0] ?? '')
      ? undefined
      : 'An input is not known.';
  if (target?.trouble !== undefined) return target.trouble;
  if (redirect.operator !== '<' || target?.process) return undefined;
  if (!target || target.many) return 'An input is not known.';
  if (!state.folders) return 'It is not known where an input is.';
  return argumentTrouble(target, state.folders);
}
