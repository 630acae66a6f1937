import type { LedgerClaim, LedgerKey, ToolLedger } from './ports.ts';

interface Row {
  readonly digest: string;
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
  const rowName = (key: LedgerKey) => JSON.stringify([key.agentId, key.toolUseId]);
  return {
    claim(key) {
      const row = rowsOf(key).get(rowName(key));
      if (row) return row.digest === key.digest ? row.claim : { state: 'reused' };
      rowsOf(key).set(rowName(key), { digest: key.digest, claim: { state: 'started' } });
      return { state: 'claimed' };
    },
    complete(key, { content, isError }) {
      rowsOf(key).set(rowName(key), {
        digest: key.digest,
        claim: { state: 'done', content, isError },
      });
    },
    forget: (sessionId, turn) => void turns.delete(turnName(sessionId, turn)),
  };
}
