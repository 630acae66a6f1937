import {
  allow,
  diskFacts,
  strictest,
  type AskOpinion,
  type DenyOpinion,
  type AllowOpinion,
  type Opinion,
  type PathFacts,
  type PermissionBackend,
  type PermissionUnit,
  type RuleEntry,
  type StartedCall,
} from '@toolgate/core';
import { compileRules, type CompiledRules } from './compile-rules.ts';
import { findAllow } from './find-allow.ts';
import { findBinding, findReadDeny, type Found } from './find-binding.ts';
import { boundNames, placesOf, type Judged } from './judged.ts';
import { whyNotKept } from './kept-rule.ts';
import { matchesParameter } from './parameter-rule.ts';
import { ruleDiagnostics } from './rule-diagnostics.ts';
import { withoutSuspended } from './suspended-rules.ts';
import type { RuleTable } from './rule-table.ts';
import { suggestRules } from './suggest-rules.ts';

/** Where rules look paths up. */
export interface RulesOptions {
  /** What `~` in a rule means, and how links are followed in the folders that rules begin at. Default: the disk's facts. */
  readonly facts?: Pick<PathFacts, 'home' | 'realPath'>;
  /** Whether a model decides in mode `auto`. With false, `auto` is `default` and suspends no rules. Default true. */
  readonly autoDecides?: boolean;
}

/** Core hands over no `directories` yet; with them the start folder counts, too. */
type FilteringCall = Pick<StartedCall, 'settings' | 'cwd'> &
  Partial<Pick<StartedCall, 'directories'>>;

interface Loaded {
  readonly rules: CompiledRules;
  readonly realPath: (path: string) => string;
}

/**
 * Decides from the rules of the call's settings. Rules are compiled once for each list of them; a list
 * that changes must be a new array. The reasons name no rule, since they may reach the model.
 */
export function rulesBackend({
  facts = diskFacts(),
  autoDecides = true,
}: RulesOptions = {}): PermissionBackend {
  const cache = new WeakMap<readonly RuleEntry[], Loaded>();
  const load = (list: readonly RuleEntry[]): Loaded => {
    let loaded = cache.get(list);
    if (!loaded)
      cache.set(
        list,
        (loaded = { rules: compileRules(list, facts.home), realPath: remembering(facts) }),
      );
    return loaded;
  };
  const narrowed = withoutSuspended();
  const decide = (call: StartedCall) => {
    const { mode, rules: all } = call.settings;
    const { rules, realPath } = load(mode === 'auto' && autoDecides ? narrowed(all) : all);
    return opinionsOf(call, rules, placesOf(call, { home: facts.home, realPath }));
  };
  return Object.assign(decide, {
    diagnose: ruleDiagnostics,
    whyNotKept: (rule: string, call: StartedCall) => whyNotKept(rule, call, facts),
    suggest: (call: StartedCall, units: readonly PermissionUnit[]) =>
      suggestRules(call, units, facts),
    peek: (call: StartedCall): Opinion | undefined => {
      // The tool itself answers for what it only reads, so that leaves nothing open.
      const open = call.effects.units.filter(({ own, readOnly }) => !(own && readOnly));
      const verdict = strictest(decide(call), open.length > 0 ? open : call.effects.units);
      return verdict.behavior === 'undecided' ? undefined : verdict;
    },
    deniesRead: (path: string, call: FilteringCall): boolean => {
      const { rules, realPath } = load(call.settings.rules);
      if (rules.deny.names.find(['Read'])) return true;
      if (!rules.deny.paths.Read.first()) return false;
      const { wide } = placesOf(call, { home: facts.home, realPath });
      const isDenied = (at: string) => rules.deny.paths.Read.find(at, wide) !== undefined;
      return isDenied(path) || isDenied(facts.realPath(path));
    },
    hides: (tool: StartedCall['tool'], settings: StartedCall['settings']): boolean =>
      load(settings.rules).rules.deny.names.find(boundNames({ tool })) !== undefined,
  });
}

/** Anchors are few and folders do not become links in the life of a rule list, so each is looked up once. */
function remembering(facts: Pick<PathFacts, 'realPath'>): (path: string) => string {
  const known = new Map<string, string>();
  return (path) => {
    let found = known.get(path);
    if (found === undefined) known.set(path, (found = facts.realPath(path)));
    return found;
  };
}

function opinionsOf(
  call: StartedCall,
  rules: CompiledRules,
  { narrow, wide }: ReturnType<typeof placesOf>,
): readonly Opinion[] {
  const names = boundNames(call);
  const opinions = [...callWide(call, names, rules), ...unreadable(call.effects.units, rules)];
  for (const unit of call.effects.units)
    for (const part of [unit, ...pathsOf(unit)]) {
      const judged: Judged = { unit: part, call, names, places: wide };
      for (const find of [findBinding, findReadDeny]) {
        const denied = find(rules.deny, judged);
        // What a Read deny may hit below a folder, a filtering tool leaves out by itself; it does not know
        // of rules that begin at a start folder other than its own.
        const isLeftOut = unit.filtered && narrow === wide;
        if (denied?.open && !isLeftOut) opinions.push(asks(denied, unit));
        else if (denied && !denied.open) opinions.push(denies(denied, unit));
      }
      const asked = findBinding(rules.ask, judged);
      if (asked) opinions.push(asks(asked, unit));
    }
  const allowed = allows(call.effects.units, (unit) =>
    findAllow(rules.allow, { unit, call, names, places: narrow }),
  );
  if (allowed) opinions.push(allowed);
  return opinions;
}

/** A command is held to the path rules on what it is known to write and on what it names. */
const pathsOf = ({ writes = [], touches = [] }: PermissionUnit): readonly PermissionUnit[] => [
  ...writes.map((write) => ({ tool: 'Edit', readOnly: false, ...write })),
  ...touches.map(({ how, ...place }) => ({ tool: how, readOnly: how === 'Read', ...place })),
];

/** What runs cannot be told from the text, and some rule is about what runs: somebody must look. */
function unreadable(units: StartedCall['effects']['units'], rules: CompiledRules): Opinion[] {
  return units.flatMap((unit) => {
    if (!unit.unparsed) return [];
    const entry = [rules.deny, rules.ask]
      .map((table) => table.commands.get(unit.tool)?.some)
      .find((found) => found !== undefined);
    return entry ? [asks({ entry, open: true }, unit)] : [];
  });
}

/** Rules about the whole call: its tool under any name, and its parameters. */
function callWide(call: StartedCall, names: readonly string[], rules: CompiledRules): Opinion[] {
  const unit = call.effects.units.find(({ own }) => own);
  const find = (table: RuleTable) =>
    table.names.find(names) ??
    table.parameters.find(names, (rule) => matchesParameter(rule, [call.toolUse.input, call.input]))
      ?.entry;
  const denied = find(rules.deny);
  const asked = find(rules.ask);
  return [
    ...(denied ? [denies({ entry: denied }, unit)] : []),
    ...(asked ? [asks({ entry: asked }, unit)] : []),
  ];
}

const denies = ({ entry }: Found, unit: PermissionUnit | undefined): DenyOpinion => ({
  behavior: 'deny',
  reason: 'A permission rule forbids this.',
  rule: entry,
  ...(unit && { unit }),
});

const asks = ({ entry, open }: Found, unit: PermissionUnit | undefined): AskOpinion => ({
  behavior: 'ask',
  strength: 'ask',
  reason: open
    ? 'This may do something that a permission rule guards.'
    : 'A permission rule asks for confirmation.',
  rule: entry,
  ...(unit && { unit }),
});

/** One allow for all covered units; each with its own rule is in `considered`. */
function allows(
  units: readonly PermissionUnit[],
  find: (unit: PermissionUnit) => RuleEntry | undefined,
): AllowOpinion | undefined {
  const covered = units.flatMap((unit) => {
    const rule = find(unit);
    return rule ? [{ unit, rule }] : [];
  });
  const [first, ...rest] = covered;
  if (!first) return undefined;
  const reason = 'A permission rule allows this.';
  return {
    ...allow(
      reason,
      covered.map(({ unit }) => unit),
    ),
    ...first,
    ...(rest.length > 0 && {
      considered: rest.map(({ unit, rule }) => ({ ...allow(reason, [unit]), rule, unit })),
    }),
  };
}
