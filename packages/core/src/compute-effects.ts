import type { FoundCall } from './call.ts';
import type { Effects, EffectsAnswer, EffectsFacts, PermissionUnit } from './effects.ts';
import {
  bool,
  list,
  object,
  readAnswer,
  record,
  text,
  word,
  type AnswerSpec,
} from './hooks/answer.ts';
import { attemptNow, type Attempt } from './hooks/guard.ts';
import { deepFrozen, frozenJson } from './json.ts';
import { predicate } from './registry.ts';
import type { AnyObject, AnyTool } from './tool.ts';

export type OwnedEffects = (input: AnyObject, facts: EffectsFacts) => EffectsAnswer;
export type TightenEffects = (
  input: AnyObject,
  facts: EffectsFacts & { readonly tool: AnyTool },
) => EffectsAnswer | undefined;

export interface EffectsSources {
  /** The plugin that owns a tool's effects in the tool's place. */
  readonly owners: ReadonlyMap<string, OwnedEffects>;
  readonly tighteners: readonly TightenEffects[];
  isTrusted(tool: AnyTool): boolean;
  /** The permission backend can say of a single path that reading it is denied. */
  readonly canFilterReads: boolean;
}

/**
 * What a call would do, from its one owner; others only tighten. A throw or nonsense leaves one opaque
 * unit that is not read-only, so that only an exact or bare rule can allow the call.
 */
export function computeEffects(
  call: FoundCall,
  input: AnyObject,
  facts: EffectsFacts,
  sources: EffectsSources,
): Effects {
  const { tool } = call;
  const trusted = sources.isTrusted(tool);
  const isReadOnly = trusted && predicate(() => tool.isReadOnly(input), false);
  const owner = sources.owners.get(tool.name);
  const said = checked(() => (owner ? owner(input, facts) : tool.effects(input, facts)));
  const paths = attemptNow<readonly PermissionUnit[]>(() =>
    pathUnits(tool, input, facts, isReadOnly, sources),
  );
  const answer = said.ok ? said.value : {};
  // What is known of a call stays, so that denies still match; what is not known is one unit more.
  const problem = said.ok ? (paths.ok ? undefined : paths.message) : said.message;
  const known = [...claimed(tool, answer.units), ...(paths.ok ? paths.value : [])];
  const units = problem === undefined ? withOwn(tool, known, isReadOnly) : known;
  const effects: Effects = {
    units: trusted ? units : units.map((one) => ({ ...one, readOnly: false })),
    readOnly: (answer.readOnly ?? isReadOnly) && trusted && units.every((one) => one.readOnly),
    destructive: answer.destructive ?? predicate(() => tool.isDestructive(input), true),
    concurrencySafe:
      trusted && (answer.concurrencySafe ?? predicate(() => tool.isConcurrencySafe(input), false)),
    warnings: answer.warnings ?? [],
    suggestedRules: answer.suggestedRules ?? [],
    needs: answer.needs ?? [],
  };
  const told = problem === undefined ? effects : unknown(effects, tool, problem);
  return deepFrozen(tightenAll(told, tool, input, facts, sources.tighteners));
}

const opaqueUnit = (tool: AnyTool): PermissionUnit => ({
  tool: tool.name,
  readOnly: false,
  allowBy: 'exact',
  own: true,
});

/** Effects of which a part could not be told. */
const unknown = (effects: Effects, tool: AnyTool, problem: string): Effects => ({
  ...effects,
  units: [...effects.units, opaqueUnit(tool)],
  readOnly: false,
  destructive: true,
  concurrencySafe: false,
  warnings: [
    ...effects.warnings,
    {
      code: 'effects-unknown',
      message: `What ${tool.name} would do could not be told: ${problem}`,
    },
  ],
  suggestedRules: [],
});

const unit: AnswerSpec = (value, where) => {
  const { tool, readOnly } = object(value, where) as { tool?: unknown; readOnly?: unknown }; // an object
  text(tool, `tool of a unit in ${where}`);
  bool(readOnly, `readOnly of a unit in ${where}`);
  return value;
};
const effectsAnswer = record({
  units: list(unit),
  readOnly: bool,
  destructive: bool,
  concurrencySafe: bool,
  warnings: list(
    record({ code: text, message: text, asks: word(['soft', 'ask', 'person']) }, [
      'code',
      'message',
    ]),
  ),
  suggestedRules: list(text),
  needs: list(text),
});

/** Asks for effects at once. A throw, a promise, no object or nonsense in it is a failure. */
function checked(question: () => unknown): Attempt<EffectsAnswer> {
  const answer = attemptNow<unknown>(question);
  if (!answer.ok) return answer;
  const json = frozenJson(answer.value);
  if ('problem' in json) return { ok: false, reason: 'bad_answer', message: json.problem };
  const read = readAnswer(json.value, effectsAnswer, 'its effects');
  if (!read.ok || read.value === undefined)
    return {
      ok: false,
      reason: 'bad_answer',
      message: read.ok ? 'it has no effects' : read.problem,
    };
  return { ok: true, value: read.value as EffectsAnswer }; // checked by readAnswer
}

/** An answer's units, as far as an owner may say: which are the call's own action is core's to tell. */
const claimed = (tool: AnyTool, units: readonly PermissionUnit[] = []): readonly PermissionUnit[] =>
  units.map((unit) => ({ ...unit, own: unit.tool === tool.name, filtered: false }));

/** Adds an opaque unit for the call's own action when none is there. */
const withOwn = (
  tool: AnyTool,
  units: readonly PermissionUnit[],
  readOnly: boolean,
): readonly PermissionUnit[] =>
  units.some((unit) => unit.own) ? units : [{ tool: tool.name, readOnly, own: true }, ...units];

function pathUnits(
  tool: AnyTool,
  input: AnyObject,
  facts: EffectsFacts,
  isReadOnly: boolean,
  sources: EffectsSources,
): readonly PermissionUnit[] {
  return Object.entries(tool.pathFields).flatMap(([field, kind]) => {
    const {
      as,
      open = false,
      filtered = false,
      whenMissing,
    } = typeof kind === 'string' ? { as: kind } : kind;
    const value = input[field] ?? whenMissing;
    if (value === undefined) return [];
    if (typeof value !== 'string') throw new Error(`its ${field} is no path`);
    const unit = facts.pathUnit(as, value, { open });
    const leavesOut = filtered && isReadOnly && sources.canFilterReads && { filtered };
    return [{ ...unit, readOnly: unit.readOnly && isReadOnly, own: true, ...leavesOut }];
  });
}

function tightenAll(
  effects: Effects,
  tool: AnyTool,
  input: AnyObject,
  facts: EffectsFacts,
  tighteners: readonly TightenEffects[],
): Effects {
  return tighteners.reduce((current, tighten) => {
    const answer = checked(() => tighten(input, { ...facts, tool }) ?? {});
    if (!answer.ok) return unknown(current, tool, answer.message);
    const { units = [], warnings = [], needs = [], ...more } = answer.value;
    return {
      ...current,
      units: [
        ...current.units,
        ...units.map((added) => ({ ...added, own: false, filtered: false })),
      ],
      readOnly:
        current.readOnly && (more.readOnly ?? true) && units.every((added) => added.readOnly),
      destructive: current.destructive || (more.destructive ?? false),
      concurrencySafe: current.concurrencySafe && (more.concurrencySafe ?? true),
      warnings: [...current.warnings, ...warnings],
      needs: [...current.needs, ...needs],
    };
  }, effects);
}
