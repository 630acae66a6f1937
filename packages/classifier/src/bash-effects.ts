import type {
  AnyObject,
  Effects,
  EffectsAnswer,
  EffectsFacts,
  PermissionUnit,
  Warning,
} from '@toolgate/core';
import { analyse, sortRedirects, type AnalysedCommand, type Analysis } from './analyse.ts';
import { isConcurrencySafe, isReadOnly, needsOf, suggestionsOf } from './classify-bash.ts';
import type { Invocation } from './forms/invocations.ts';
import type { SimpleCommand } from './bash/model.ts';
import type { BashClassifierOptions } from './bash-classifier.ts';
import { readingsOf } from './forms/readings.ts';
import { strictForm } from './forms/strict.ts';
import { commandHolds } from './units/needs.ts';
import { readUnits, redirectReadUnits, testReadUnits } from './units/read-units.ts';
import { editUnits } from './units/edit-units.ts';
import { touchedPaths } from './units/touched-paths.ts';
import { changesGit, makesLinks } from './units/link-makers.ts';
import { unitsForPath } from './units/paths.ts';
import { writtenPaths } from './units/written-paths.ts';
import { findWarnings, type FoundWarnings } from './warnings/find-warnings.ts';

/** What a Bash call would do: one unit for each command, one for each file read or written beside it. */
export function bashEffects(
  input: AnyObject,
  facts: EffectsFacts,
  options: BashClassifierOptions = {},
  read: typeof analyse = analyse,
): EffectsAnswer {
  const text = input['command'];
  if (typeof text !== 'string')
    return { units: [], readOnly: false, destructive: true, concurrencySafe: false };
  const analysis = read(text, { ...options, cwd: facts.cwd, home: facts.home });
  const found = findWarnings(analysis, facts);
  const { warnings, destructive } = found;
  const units = unitsOf(text, analysis, found, facts);
  const readOnly = isReadOnly(analysis) && units.every((unit) => unit.readOnly);
  return {
    units,
    readOnly,
    destructive,
    concurrencySafe: readOnly && isConcurrencySafe(analysis),
    warnings: [...warnings, ...problemWarnings(analysis)],
    suggestedRules: suggestionsOf(analysis),
    needs: needsOf(analysis),
  } satisfies Effects;
}

/** A text that Bash gives up on halfway has run its beginning by then, on whatever files. */
const anywhere = (['Read', 'Edit'] as const).map((how) => ({
  how,
  path: '/',
  realPath: '/',
  open: true,
}));

function unitsOf(
  text: string,
  analysis: Analysis,
  { invocations, hidden, redirects }: FoundWarnings,
  facts: EffectsFacts,
): readonly PermissionUnit[] {
  const { parsed, walked, commands, reasons, writes, reads } = analysis;
  const nested = sortRedirects(redirects);
  const refused = parsed.problems.some(
    ({ code }) => code === 'refused-character' || code === 'too-long',
  );
  const whole = (extra: Partial<PermissionUnit>): PermissionUnit => ({
    tool: 'Bash',
    content: text.trim(),
    exact: text.trim(),
    allowBy: refused ? 'none' : 'exact',
    readOnly: false,
    ...extra,
  });
  const readings = invocations.flatMap((one, index) => {
    const command = commands[index]?.command;
    return command ? readingsOf(command, one) : [];
  });
  // An extended glob is refused by Bash itself, unless its environment switched it on.
  const unparsed = !parsed.valid || parsed.problems.some(({ code }) => code === 'extended-glob');
  if (unparsed || refused)
    return [whole({ unparsed, readings: [...new Set(readings)], touches: anywhere })];
  // What no command is to blame for: a problem makes every unit doubtful, a reason needs one of its own.
  const doubtful = parsed.problems.length > 0;
  const after = standsAfter(analysis, invocations, hidden, makesLinks);
  const afterGit = standsAfter(analysis, invocations, hidden, changesGit);
  const units = commands.map((one, index) => {
    // What a repository's configuration says may be another by then: nobody can look in between.
    const { verdict } = one;
    const asksGit = verdict.answer === 'read-only' && verdict.needs.length > 0;
    const unsettled = asksGit && afterGit(one.command);
    const flags = { doubtful: doubtful || unsettled, hidden: hidden[index] === true };
    return commandUnit(one, invocations[index] ?? [], flags, facts);
  });
  const readsOf = (found: readonly PermissionUnit[], isAfter: boolean) =>
    isAfter && found.length > 0
      ? [...found, ...unitsForPath('Read', '/', facts.cwd, true, facts)]
      : found;
  const more = reasons.length > parsed.problems.length || units.length === 0;
  return [
    ...units,
    ...(more ? [whole({ readOnly: units.length === 0 && reasons.length === 0 })] : []),
    ...merged([
      ...commands.flatMap((one, index) =>
        readsOf(readUnits(one, invocations[index] ?? [], facts), after(one.command)),
      ),
      ...[...reads, ...nested.inputs.filter(({ redirect }) => redirect.operator === '<')].flatMap(
        (one) => readsOf(redirectReadUnits(one, facts), after(one.command)),
      ),
      ...walked.tests.flatMap((one) => testReadUnits(one, facts)),
      ...[...writes, ...nested.writes].flatMap((one) => editUnits(one, facts, after(one.command))),
    ]),
  ];
}

/** Tells of a command whether one before it does what `does` says; `undefined` stands for a part of the text. */
function standsAfter(
  { commands, parsed }: Analysis,
  invocations: readonly (readonly Invocation[])[],
  hidden: readonly boolean[],
  does: (invocation: Invocation) => boolean,
): (command: SimpleCommand | undefined) => boolean {
  const makes = invocations.map(
    (all, index) => hidden[index] === true || all.some((one) => does(one)),
  );
  const first = makes.indexOf(true);
  if (first < 0) return () => false;
  // In a loop, and in a function, what stands later may run before.
  const repeats = /"kind":"(?:for|count|while|select|function|background)"/.test(
    JSON.stringify(parsed.script),
  );
  return (command) => {
    const at = commands.findIndex((one) => one.command === command);
    return (
      at < 0 ||
      at >= first ||
      (repeats && makes.some((makesLink, index) => makesLink && index !== at))
    );
  };
}

function commandUnit(
  one: AnalysedCommand,
  invocations: readonly Invocation[],
  { doubtful, hidden }: { readonly doubtful: boolean; readonly hidden: boolean },
  facts: EffectsFacts,
): PermissionUnit {
  const { command, visit, verdict } = one;
  const form = strictForm(command, visit);
  const writes = visit && writtenPaths(one, form, facts);
  const shown =
    form.content === ''
      ? command.redirects
          .map(({ operator, target }) => `${operator} ${target?.text ?? ''}`)
          .join(' ')
      : form.content;
  // What a reader reads has units of its own.
  const touches = verdict.answer === 'read-only' ? [] : touchedPaths(invocations, facts);
  const readOnly = !doubtful && verdict.answer === 'read-only' && commandHolds(one, facts);
  return {
    tool: 'Bash',
    content: shown,
    exact: form.exact === '' ? shown : form.exact,
    allowBy: form.allowBy,
    ...(form.unquoted !== undefined && { unquoted: form.unquoted }),
    readings: readingsOf(command, invocations),
    readOnly,
    // Deny and ask rules look for their words in what is written, as in a text that does not parse.
    ...(hidden && !readOnly && { unparsed: true }),
    ...(writes && !doubtful && { writes }),
    ...(touches.length > 0 && { touches }),
  };
}

/** Path units once each; an open one stands for itself. */
function merged(units: readonly PermissionUnit[]): readonly PermissionUnit[] {
  return [
    ...new Map(
      units.map((unit) => [
        `${unit.tool} ${unit.path} ${unit.realPath} ${unit.open === true}`,
        unit,
      ]),
    ).values(),
  ];
}

const problemWarnings = ({ parsed }: Analysis): readonly Warning[] => [
  ...parsed.problems
    .filter(({ code }) => code !== 'background')
    .map(({ code, message }) => ({ code, message })),
  ...(parsed.valid
    ? []
    : [
        {
          code: 'not-parsed',
          message: parsed.problems.some(({ code }) => code === 'too-long')
            ? 'This is too long to be read, so nobody knows what it would do.'
            : 'This is no complete command; what stands before the mistake would run.',
          asks: 'soft' as const,
        },
      ]),
];
