import type { Argument } from './expand.ts';
import type { VariableValue } from './state.ts';

/** What a variable holds that is set to one of these. */
export function asVariable(values: readonly Argument[]): VariableValue {
  const all = values.flatMap((value) => value.texts);
  if (
    values.length > 0 &&
    values.every((value) => value.kind === 'literal' || value.kind === 'set') &&
    all.length <= 64
  )
    return { kind: 'known', texts: [...new Set(all)] };
  const trouble = values.find((value) => value.trouble !== undefined)?.trouble;
  return {
    ...(trouble !== undefined && { trouble }),
    kind: 'data',
    climbs: values.some((value) => value.climbs),
    prefixes: values.length > 0 ? [...new Set(values.flatMap((value) => value.prefixes))] : [''],
    anchored: values.length > 0 && values.every((value) => value.anchored),
  };
}
