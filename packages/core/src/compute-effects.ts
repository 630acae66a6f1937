import type { FoundCall } from './call.ts';
import type { Effects, EffectsAnswer, EffectsFacts, PermissionUnit, Warning } from './effects.ts';
import { messageOf } from './failure.ts';
import { frozenJson } from './json.ts';
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
  let effects: Effects;
  try {
    const owner = sources.owners.get(tool.name);
    const answer = checked(owner ? owner(input, facts) : tool.effects(input, facts));
    const units = withOwn(
      tool,
      [...claimed(tool, answer.units), ...pathUnits(tool, input, facts, isReadOnly, sources)],
      isReadOnly,
    );
    const readOnly =
      (answer.readOnly ?? isReadOnly) && trusted && units.every((unit) => unit.readOnly);
    effects = {
      units: trusted ? units : units.map((unit) => ({ ...unit, readOnly: false })),
      readOnly,
      destructive: answer.destructive ?? predicate(() => tool.isDestructive(input), true),
      concurrencySafe:
        trusted &&
        (answer.concurrencySafe ?? predicate(() => tool.isConcurrencySafe(input), false)),
      warnings: answer.warnings ?? [],
      suggestedRules: answer.suggestedRules ?? [],
      needs: answer.needs ?? [],
    };
  } catch (thrown) {
    effects = opaque(tool, [
      {
        code: 'effects-unknown',
        message: `What ${tool.name} would do could not be told: ${messageOf(thrown)}`,
      },
    ]);
  }
  return frozen(tool, tightenAll(effects, tool, input, facts, sources.tighteners));
}

function opaque(tool: AnyTool, warnings: readonly Warning[]): Effects {
  return {
    units: [{ tool: tool.name, readOnly: false, allowBy: 'exact', own: true }],
    readOnly: false,
    destructive: true,
    concurrencySafe: false,
    warnings,
    suggestedRules: [],
    needs: [],
  };
}

/** Refuses an answer whose units are no units; the caller falls back to the opaque one. */
function checked(answer: EffectsAnswer): EffectsAnswer {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
    throw new Error('its effects are no object');
  for (const unit of answer.units ?? [])
    if (typeof unit?.tool !== 'string' || typeof unit.readOnly !== 'boolean')
      throw new Error('its effects hold something that is no unit');
  return answer;
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
    try {
      const more = checked(tighten(input, { ...facts, tool }) ?? {});
      return {
        ...current,
        units: [...current.units, ...(more.units ?? []).map((unit) => ({ ...unit, own: false }))],
        readOnly:
          current.readOnly &&
          (more.readOnly ?? true) &&
          (more.units ?? []).every((unit) => unit.readOnly),
        destructive: current.destructive || (more.destructive ?? false),
        concurrencySafe: current.concurrencySafe && (more.concurrencySafe ?? true),
        warnings: [...current.warnings, ...(more.warnings ?? [])],
        needs: [...current.needs, ...(more.needs ?? [])],
      };
    } catch (thrown) {
      return {
        ...opaque(tool, current.warnings),
        warnings: [...current.warnings, { code: 'effects-unknown', message: messageOf(thrown) }],
      };
    }
  }, effects);
}

function frozen(tool: AnyTool, effects: Effects): Effects {
  const json = frozenJson(effects);
  return 'problem' in json ? opaque(tool, []) : (json.value as Effects); // a frozen copy of the same value
}
