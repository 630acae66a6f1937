import { randomUUID } from 'node:crypto';
import { chmodSync, closeSync, constants, lstatSync, mkdirSync, openSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import {
  definePlugin,
  folderStore,
  type PermissionPrompt,
  type Plugin,
  type ResultStore,
  type ToolLedger,
} from '@toolgate/core';
import type { DenialTrackingState } from '@toolgate/permissions';
import { ledgerTables, sqliteLedger } from './sqlite-ledger.ts';

/** What a session on disk brings to a gate, and what it remembers. */
export interface Session {
  /** The same for as long as the folder exists. */
  readonly id: string;
  /** Which calls were started and what they gave. */
  readonly ledger: ToolLedger;
  /** Results too large for the model. */
  readonly store: ResultStore;
  /** How often calls were refused so far; undefined: never. */
  readonly denials: DenialTrackingState | undefined;
  /** Keeps what `denialTracking` counted. */
  readonly keepDenials: (state: DenialTrackingState) => void;
  /** Prompts that were open when an earlier run ended without an answer. Their calls are asked about again. */
  readonly pendingPrompts: readonly PermissionPrompt[];
  /** Keeps each prompt for as long as it is open. */
  readonly plugin: Plugin;
  /** Closes the database. Call it when the gate is closed. */
  close(): void;
}

/** The options of `createToolgate` that a session fills; its plugin comes beside them. */
export const sessionOptions = ({ id, ledger, store }: Session) => ({
  sessionId: id,
  ledger,
  store,
});

/** The options of `denialTracking` that a session fills. */
export const denialsOf = ({ denials, keepDenials }: Session) => ({
  ...(denials && { state: denials }),
  onChange: keepDenials,
});

const version = 1;
const tables = `
  ${ledgerTables}
  create table if not exists prompts (tool_use_id text primary key, prompt text not null) without rowid;
  create table if not exists kept (name text primary key, value text not null) without rowid;
`;

/**
 * Opens the folder of a session, or makes it, with mode 0700. Neither rules nor modes nor answers of people
 * are kept: what a later run may do is decided anew.
 *
 * @throws Error in one line for a folder that is a link, belongs to somebody else, or holds something else.
 */
export async function openSession(folder: string): Promise<Session> {
  const path = privateFolder(resolve(folder));
  const database = await openDatabase(join(path, 'session.db'));
  try {
    return sessionOf(database, join(path, 'results'));
  } catch (error) {
    database.close();
    throw error;
  }
}

function privateFolder(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const stats = lstatSync(path);
  if (!stats.isDirectory()) throw new Error(`${path} is a link or a file, not a folder`);
  if (process.getuid && stats.uid !== process.getuid())
    throw new Error(`${path} belongs to somebody else`);
  chmodSync(path, 0o700);
  return path;
}

async function openDatabase(file: string): Promise<DatabaseSync> {
  // Made here, so that nobody else can read it from the first instant; a link is not followed.
  closeSync(openSync(file, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600));
  chmodSync(file, 0o600);
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(file, { timeout: 5_000 });
  try {
    database.exec('pragma journal_mode = wal; pragma synchronous = full;');
    const found = Number(database.prepare('pragma user_version').get()?.['user_version']);
    if (found !== 0 && found !== version) throw new Error(`it is of version ${found}`);
    database.exec(`begin immediate; ${tables} pragma user_version = ${version}; commit;`);
    return database;
  } catch (error) {
    database.close();
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${file} is no session of this version: ${reason}`, { cause: error });
  }
}

function sessionOf(database: DatabaseSync, results: string): Session {
  const read = database.prepare('select value from kept where name = ?');
  const keep = database.prepare('insert or replace into kept (name, value) values (?, ?)');
  const kept = (name: string): unknown => {
    const value = read.get(name)?.['value'];
    return typeof value === 'string' ? JSON.parse(value) : undefined;
  };
  const known = kept('id');
  const id = typeof known === 'string' ? known : randomUUID();
  keep.run('id', JSON.stringify(id));
  return {
    id,
    ledger: sqliteLedger(database),
    store: folderStore({ folder: results, keepMs: Infinity }),
    denials: kept('denials') as DenialTrackingState | undefined, // written by keepDenials
    keepDenials: (state) => void keep.run('denials', JSON.stringify(state)),
    pendingPrompts: database
      .prepare('select prompt from prompts order by tool_use_id')
      .all()
      .map(({ prompt }) => JSON.parse(String(prompt)) as PermissionPrompt), // written by the plugin below
    plugin: keepsPrompts(database),
    close: () => database.close(),
  };
}

function keepsPrompts(database: DatabaseSync): Plugin {
  const open = database.prepare(
    'insert or replace into prompts (tool_use_id, prompt) values (?, ?)',
  );
  const end = database.prepare('delete from prompts where tool_use_id = ?');
  return definePlugin({
    name: 'session-prompts',
    setup: ({ hooks }) => {
      hooks.prompt.tap({ name: 'session-prompts', slot: 'hooks' }, ({ prompt }) => {
        open.run(prompt.toolUseId, JSON.stringify(prompt));
        return undefined;
      });
      hooks.emit.tap('session-prompts', ({ block }) => void end.run(block.tool_use_id));
    },
  })();
}
