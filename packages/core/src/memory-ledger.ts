import type { LedgerClaim, LedgerKey, ToolLedger } from './ports.ts';

interface Row {
  readonly key: LedgerKey;
  readonly claim: LedgerClaim;
}

/** Remembers a turn's calls until the turn is over. */
export function memoryLedger(): ToolLedger {
  const turns = new Map<string, Map<string, Row>>();
  const turnName = (sessionId: string, turn: number) => `${turn}:${sessionId}`;
  const rowsOf = (key: LedgerKey) => {
    const name = turnName(key.sessionId, key.turn);
    const rows = turns.get(name) ?? new Map<string, Row>();
    turns.set(name, rows);
    return rows;
  };
  const rowName = (key: LedgerKey) => `${key.agentId.length}:${key.agentId}${key.toolUseId}`;
  return {
    claim(key) {
      const row = rowsOf(key).get(rowName(key));
      if (row) return row.key.digest === key.digest ? row.claim : { state: 'reused' };
      rowsOf(key).set(rowName(key), { key, claim: { state: 'started' } });
      return { state: 'claimed' };
    },
    complete(key, result) {
      // A turn that is over stays forgotten, whatever comes late.
      const rows = turns.get(turnName(key.sessionId, key.turn));
      const before = rows?.get(rowName(key))?.claim;
      rows?.set(rowName(key), { key, claim: { ...before, ...result, state: 'done' } });
    },
    forget: (sessionId, turn) => void turns.delete(turnName(sessionId, turn)),
  };
}
