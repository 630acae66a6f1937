import {
  definePlugin,
  strictest,
  type Behavior,
  type Opinion,
  type PermissionBackend,
  type RuleEntry,
  type SettingsSnapshot,
  type SettingValue,
  type StartedCall,
} from '@toolgate/core';
import { rulesBackend, type RulesOptions } from './rules-backend.ts';

/** What rules alone say of a call; `undecided` where none is about it. */
export type RulesVerdict = Behavior | 'undecided';

/** A call that the two policies decide differently. Neither input nor output of the call is in it. */
export interface ShadowDifference {
  readonly toolUseId: string;
  readonly tool: string;
  readonly real: RulesVerdict;
  readonly shadow: RulesVerdict;
  /** The rule of the shadow that decided; absent where none is about the call. */
  readonly rule?: string;
}

export interface ShadowOptions extends RulesOptions {
  /** Hears of each difference. Default: it becomes a diagnostic. */
  readonly onDifference?: (difference: ShadowDifference) => void;
}

/** Sources that may name a shadow: it sees every call, so a project may not. */
const sources: readonly string[] = ['userSettings', 'flagSettings', 'policySettings'];

/**
 * Decides by the rules of `shadowPolicy` in user, `--settings` or managed settings beside the real ones, for trying a
 * policy out. It enforces nothing: what the two decide differently is recorded.
 */
export const shadowPolicy = definePlugin<ShadowOptions | void>({
  name: '@toolgate/shadow-policy',
  setup(gate, options) {
    const backend = rulesBackend(options?.facts ? { facts: options.facts } : {});
    const rulesOf = remembering();
    gate.hooks.opinions.tap({ name: 'shadow-policy', slot: 'other' }, async (call, about) => {
      const rules = rulesOf(call.settings);
      if (rules.length === 0) return undefined;
      try {
        const real = await verdict(backend, call, about);
        const settings = { ...call.settings, rules };
        const shadow = await verdict(backend, { ...call, settings }, about);
        if (real.behavior === shadow.behavior) return undefined;
        const difference: ShadowDifference = {
          toolUseId: call.toolUse.id,
          tool: call.tool.name,
          real: real.behavior,
          shadow: shadow.behavior,
          ...(shadow.rule && { rule: shadow.rule.text }),
        };
        if (options?.onDifference) options.onDifference(difference);
        else
          gate.diagnostic({
            code: 'shadow-policy-differs',
            severity: 'info',
            ...inWords(difference, shadow.rule),
          });
      } catch (thrown) {
        gate.diagnostic({
          code: 'shadow-policy-failed',
          severity: 'warning',
          message: `the shadow policy could not decide a call: ${thrown instanceof Error ? thrown.message : 'it failed'}`,
        });
      }
      return undefined;
    });
  },
});

async function verdict(
  backend: PermissionBackend,
  call: StartedCall,
  about: { readonly signal: AbortSignal },
): Promise<{ readonly behavior: RulesVerdict; readonly rule?: RuleEntry }> {
  const said = await backend(call, about);
  const opinions = [said].flat().filter((opinion): opinion is Opinion => opinion !== undefined);
  const found = strictest(opinions, call.effects.units);
  return {
    behavior: found.behavior,
    ...('rule' in found && found.rule && { rule: found.rule }),
  };
}

function inWords({ toolUseId, tool, real, shadow }: ShadowDifference, rule: RuleEntry | undefined) {
  const by = rule ? ` by ${rule.behavior} ${rule.text}` : '';
  return {
    message: `${tool} (${toolUseId}): ${real} now, ${shadow} under the shadow policy${by}.`,
    ...(rule?.file !== undefined && { file: rule.file }),
    ...(rule?.line !== undefined && { line: rule.line }),
    ...(rule?.pointer !== undefined && { pointer: rule.pointer }),
  };
}

/** The rules of all shadows, read once for each state of the settings. */
function remembering(): (settings: SettingsSnapshot) => readonly RuleEntry[] {
  const known = new WeakMap<object, readonly RuleEntry[]>();
  return ({ values }) => {
    const found = known.get(values) ?? values.flatMap(rulesIn);
    known.set(values, found);
    return found;
  };
}

function rulesIn({ key, value, ...place }: SettingValue): readonly RuleEntry[] {
  if (key !== 'shadowPolicy' || !sources.includes(place.source)) return [];
  const permissions: unknown = Reflect.get(Object(value), 'permissions');
  return (['deny', 'ask', 'allow'] as const).flatMap((behavior) => {
    const texts: unknown = Reflect.get(Object(permissions), behavior);
    return (Array.isArray(texts) ? texts : []).flatMap((text: unknown, index) =>
      typeof text === 'string' && text.trim() !== ''
        ? [
            {
              ...place,
              behavior,
              text,
              pointer: `${place.pointer ?? ''}/permissions/${behavior}/${index}`,
            },
          ]
        : [],
    );
  });
}
