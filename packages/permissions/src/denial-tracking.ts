import { definePlugin, type StartedCall } from '@toolgate/core';

/** How often calls were refused. A JSON value: keep it with a session and hand it back. */
export interface DenialTrackingState {
  /** Refusals in a row, by tool and by pattern (`Bash(git push *)`). */
  readonly inARow: Readonly<Record<string, number>>;
  /** Refusals since the start, or since the total was last reached. */
  readonly total: number;
}

/** Nothing was refused yet. */
export const noDenials: DenialTrackingState = Object.freeze({
  inARow: Object.freeze({}),
  total: 0,
});

/** When refusals become too many. */
export interface DenialLimits {
  /** Refusals in a row of one tool or pattern. Default 3. */
  readonly inARow?: number;
  /** Refusals in all. Default 20. */
  readonly inAll?: number;
}

export interface DenialTrackingOptions extends DenialLimits {
  /** Where to go on from. Default: nothing was refused yet. */
  readonly state?: DenialTrackingState;
  /** Hears of each change, to keep it. */
  readonly onChange?: (state: DenialTrackingState) => void;
}

/** The most tools and patterns that are counted; the least recent goes first. */
const maxKeys = 200;

/**
 * Counts one refusal. `guidance` is a sentence for the model, when it is time for one: on reaching either
 * limit, and on each refusal in a row beyond it.
 */
export function countDenial(
  state: DenialTrackingState,
  keys: readonly string[],
  { inARow = 3, inAll = 20 }: DenialLimits = {},
): { readonly state: DenialTrackingState; readonly guidance?: string } {
  const counts = new Map(Object.entries(state.inARow));
  let most = { key: '', count: 0 };
  for (const key of keys) {
    const count = (counts.get(key) ?? 0) + 1;
    counts.delete(key);
    counts.set(key, count);
    if (count >= most.count) most = { key, count };
  }
  const total = state.total + 1;
  const isTotal = total >= inAll;
  const guidance = isTotal
    ? `${total} calls of this session have been refused. Stop here, say what you need, and ask the person how to go on.`
    : most.count >= inARow
      ? `${most.key} has been refused ${most.count} times in a row. Do not send it again; find another way, or ask the person.`
      : undefined;
  const kept = [...counts].slice(-maxKeys);
  return {
    state: { inARow: Object.fromEntries(kept), total: isTotal ? 0 : total },
    ...(guidance !== undefined && { guidance }),
  };
}

/** A call that was allowed and ran ends every row, however it ended; the total stays. */
export const countSuccess = ({ total }: DenialTrackingState): DenialTrackingState => ({
  inARow: {},
  total,
});

/** The tool, and what rules would call the command: its patterns, not its arguments. */
const keysOf = ({ tool, effects }: StartedCall): readonly string[] => [
  tool.name,
  ...new Set(effects.suggestedRules.filter((rule) => rule !== tool.name && rule.length <= 200)),
];

/**
 * Tells a model that keeps being refused to stop, in the refusal itself (known fault 33). One gate counts for
 * all its agents, so that nobody starts afresh through a child.
 */
export const denialTracking = definePlugin<DenialTrackingOptions | void>({
  name: '@toolgate/denial-tracking',
  setup(gate, options) {
    const { state: start = noDenials, onChange, ...limits } = options ?? {};
    let state = start;
    const set = (next: DenialTrackingState): void => {
      state = next;
      onChange?.(state);
    };
    gate.hooks.permissionDenied.tap('denial-tracking', ({ call }) => {
      const counted = countDenial(state, keysOf(call), limits);
      set(counted.state);
      return counted.guidance === undefined ? undefined : { context: counted.guidance };
    });
    const ran = () => {
      if (Object.keys(state.inARow).length > 0) set(countSuccess(state));
      return undefined;
    };
    gate.hooks.postToolUse.tap('denial-tracking', ran);
    gate.hooks.postToolUseFailure.tap('denial-tracking', ran);
  },
});
