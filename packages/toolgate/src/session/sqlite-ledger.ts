import type { DatabaseSync } from 'node:sqlite';
import type { LedgerClaim, LedgerKey, StoredResult, ToolLedger } from '@toolgate/core';

type Known = Exclude<LedgerClaim, { readonly state: 'claimed' }>;

export const ledgerTables = `
  create table if not exists runs (run integer primary key autoincrement, pid integer not null, started text not null);
  create table if not exists calls (
    session text not null, agent text not null, turn integer not null, tool_use_id text not null,
    digest text not null, run integer not null, started text not null, result text,
    primary key (session, agent, turn, tool_use_id)
  ) without rowid;
  create index if not exists calls_by_id on calls (session, agent, tool_use_id, digest);
`;

/**
 * A ledger in a database, for sessions that outlive a process. A call is found by its key. One that an
 * earlier process ran is also found at another position in the conversation, so that a part of a recorded
 * conversation, given alone, runs nothing twice either.
 */
export function sqliteLedger(database: DatabaseSync): ToolLedger {
  const begun = database
    .prepare('insert into runs (pid, started) values (?, ?)')
    .run(process.pid, new Date().toISOString());
  const run = Number(begun.lastInsertRowid);
  const here = database.prepare(
    'select digest, result from calls where session = ? and agent = ? and turn = ? and tool_use_id = ?',
  );
  const before = database.prepare(
    `select digest, result from calls where session = ? and agent = ? and tool_use_id = ? and digest = ? and run < ${run}
     order by run desc, turn desc limit 1`,
  );
  const insert = database.prepare(
    'insert into calls (session, agent, turn, tool_use_id, digest, run, started) values (?, ?, ?, ?, ?, ?, ?)',
  );
  const complete = database.prepare(
    `insert into calls (session, agent, turn, tool_use_id, digest, run, started, result) values (?, ?, ?, ?, ?, ?, ?, ?)
     on conflict do update set result = json_patch(coalesce(result, '{}'), excluded.result) where digest = excluded.digest`,
  );
  const find = ({ sessionId, agentId, turn, toolUseId, digest }: LedgerKey): Known | undefined => {
    const row =
      here.get(sessionId, agentId, turn, toolUseId) ??
      before.get(sessionId, agentId, toolUseId, digest);
    if (!row) return undefined;
    if (row['digest'] !== digest) return { state: 'reused' };
    return typeof row['result'] === 'string' ? done(row['result']) : { state: 'started' };
  };
  const columns = (key: LedgerKey) =>
    [
      key.sessionId,
      key.agentId,
      key.turn,
      key.toolUseId,
      key.digest,
      run,
      new Date().toISOString(),
    ] as const;
  return {
    find,
    claim(key) {
      // One transaction: of two processes that claim the same call, one gets it.
      database.exec('begin immediate');
      try {
        const known = find(key);
        if (!known) insert.run(...columns(key));
        database.exec('commit');
        return known ?? { state: 'claimed' };
      } catch (error) {
        database.exec('rollback');
        throw error;
      }
    },
    complete: (key, result) => void complete.run(...columns(key), JSON.stringify(result)),
    forget: () => undefined,
  };
}

/** A stored result, as `complete` wrote it; core checks what it holds. */
const done = (text: string): Known => ({
  ...(JSON.parse(text) as StoredResult), // written by complete
  state: 'done',
});
