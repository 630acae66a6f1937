import type { HookEvent } from './hook-events.ts';

const usualCap = 8;

/**
 * Counts how often in a row hooks kept an agent from stopping. Answers true when one more block does not
 * count: the agent has been kept going as often as `CLAUDE_CODE_STOP_HOOK_BLOCK_CAP` says (default 8, 0 for ever).
 */
export function stopCap(capText: string | undefined) {
  const given = Number(capText ?? usualCap);
  const cap = Number.isInteger(given) && given >= 0 ? given : usualCap;
  const blocks = new Map<string, number>();
  return (event: HookEvent, agentId: unknown, isBlocked: boolean): boolean => {
    if (event !== 'Stop' && event !== 'SubagentStop') return false;
    const key = `${event} ${typeof agentId === 'string' ? agentId : ''}`;
    const count = (blocks.get(key) ?? 0) + 1;
    const isOver = isBlocked && cap > 0 && count > cap;
    if (isBlocked && !isOver) blocks.set(key, count);
    else blocks.delete(key);
    return isOver;
  };
}
