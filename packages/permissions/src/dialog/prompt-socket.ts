import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import type { PermissionPrompt } from '@toolgate/core';
import type { PromptReply } from './permission-answer.ts';
import type { PromptBroker, ReplyOutcome } from './prompt-broker.ts';

/** The most characters of one request. */
const maxRequest = 10_000_000;

/** A broker that other processes of this user can reach. */
export interface ServedPrompts {
  /** Stops listening and removes the socket. The broker stays as it is. */
  close(): Promise<void>;
}

/**
 * Lets other processes of this user list the open prompts of a broker and answer them, over a local socket in a
 * folder of this user alone (0700). The codes of prompts do not pass it: an answer must bring the right one.
 *
 * @throws when the folder is somebody else's or open to others, or something listens there already.
 */
export async function servePrompts(broker: PromptBroker, path: string): Promise<ServedPrompts> {
  privateFolder(dirname(path));
  await removeStale(path);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
    let received = 0;
    socket.on('data', (chunk) => {
      received += chunk.length;
      if (received > maxRequest) socket.destroy();
    });
    createInterface({ input: socket }).on('line', (line) => {
      received = 0;
      socket.write(`${JSON.stringify(replyTo(broker, line))}\n`);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(path, resolve);
  });
  chmodSync(path, 0o600);
  server.unref();
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function replyTo(broker: PromptBroker, line: string): object {
  const request = parsed(line);
  if (request?.['do'] === 'list') return { prompts: broker.pending() };
  if (request?.['do'] === 'answer') return { outcome: broker.answer(request['reply']) };
  if (request?.['do'] === 'touch') return { open: broker.touch(String(request['id'])) };
  return {
    error: 'a request is {"do":"list"}, {"do":"touch","id":…} or {"do":"answer","reply":…}',
  };
}

function parsed(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null
      ? (value as Readonly<Record<string, unknown>>) // its members are looked at one by one
      : undefined;
  } catch {
    return undefined;
  }
}

function privateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  const isOurs = process.getuid === undefined || found.uid === process.getuid();
  if (!found.isDirectory() || !isOurs || (found.mode & 0o077) !== 0)
    throw new Error(
      `${folder} must be a folder of this user alone (mode 0700), so that nobody else can answer prompts.`,
    );
}

/** Removes a socket that nobody listens on any more. */
async function removeStale(path: string): Promise<void> {
  if (!lstatSync(path, { throwIfNoEntry: false })) return;
  const isAlive = await new Promise<boolean>((resolve) => {
    const probe = createConnection(path);
    probe.once('connect', () => resolve(true)).once('error', () => resolve(false));
    probe.unref();
  });
  if (isAlive) throw new Error(`${path} is in use: another process serves its prompts there.`);
  rmSync(path);
}

/** The prompts of another process. */
export interface RemotePrompts {
  /** The open prompts, oldest first. */
  list(): Promise<readonly PermissionPrompt[]>;
  /** Says that somebody begins to answer; see {@link PromptBroker.touch}. */
  touch(id: string): Promise<boolean>;
  /** Answers one; see {@link PromptBroker.answer}. */
  answer(reply: PromptReply): Promise<ReplyOutcome>;
  /** Ends the connection. */
  close(): void;
}

/** Connects to {@link servePrompts}. Rejects when nobody serves there; a call rejects when the other side ends. */
export async function connectPrompts(path: string): Promise<RemotePrompts> {
  const socket = createConnection(path);
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve).once('error', reject);
  });
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  socket.on('error', () => socket.destroy());
  let last: Promise<unknown> = Promise.resolve();
  const request = <T>(what: object): Promise<T> => {
    const answer = last.then(async () => {
      socket.write(`${JSON.stringify(what)}\n`);
      const line = await lines.next();
      if (line.done) throw new Error('the process that serves the prompts has ended');
      return JSON.parse(line.value) as T; // what servePrompts writes
    });
    last = answer.catch(() => undefined);
    return answer;
  };
  return {
    list: async () =>
      (await request<{ readonly prompts: readonly PermissionPrompt[] }>({ do: 'list' })).prompts,
    touch: async (id) => (await request<{ readonly open: boolean }>({ do: 'touch', id })).open,
    answer: async (reply) =>
      (await request<{ readonly outcome: ReplyOutcome }>({ do: 'answer', reply })).outcome,
    close: () => socket.destroy(),
  };
}
