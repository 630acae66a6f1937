import { randomInt, timingSafeEqual } from 'node:crypto';
import type { Dialog, PermissionAnswer, PermissionPrompt } from '@toolgate/core';
import { readReply } from './permission-answer.ts';

/**
 * What became of a reply. `taken`: it went to the call. `unknown`: no such prompt was ever open here.
 * `withdrawn`: it was answered or withdrawn before. `changed`: the digest is another prompt's.
 * `wrong-code`: the code does not fit; after five the prompt is withdrawn. `invalid`: it is no reply.
 */
export type ReplyOutcome = 'taken' | 'unknown' | 'withdrawn' | 'changed' | 'wrong-code' | 'invalid';

/** Prompts that wait for somebody who may be in another process. */
export interface PromptBroker {
  /** What `createToolgate` asks. */
  readonly dialog: Dialog;
  /** The open prompts, oldest first, without their codes. Serialisable. */
  pending(): readonly PermissionPrompt[];
  /** Takes a reply to an open prompt, once. Anything else changes nothing. */
  answer(reply: unknown): ReplyOutcome;
  /** Says that somebody begins to answer, so that no classifier does meanwhile. False for a prompt that is not open. */
  touch(id: string): boolean;
  /** Withdraws whatever is open: nobody answers any more, so it is denied. */
  close(): void;
}

/** Who hears of prompts. */
export interface BrokerOptions {
  /** A prompt is open. The code belongs to the person alone: show it, and nowhere else. */
  readonly onOpen?: (opened: { readonly prompt: PermissionPrompt; readonly code: string }) => void;
  /** A prompt is no longer open. */
  readonly onClose?: (closed: {
    readonly id: string;
    readonly how: 'answered' | 'withdrawn';
  }) => void;
}

interface Open {
  readonly prompt: PermissionPrompt;
  readonly code: string;
  readonly end: (answer: PermissionAnswer | undefined) => void;
  readonly touched: () => void;
  wrong: number;
}

const mostWrong = 5;
/** How many closed prompts are told apart from those that never were. */
const mostClosed = 1_000;
const letters = 'abcdefghjkmnpqrstuvwxyz23456789';

/**
 * Keeps open prompts by id, so that an answer needs no callback: whoever sees the list and knows the code
 * answers with id and digest. The first reply wins; a prompt that was withdrawn takes none.
 */
export function createPromptBroker({ onOpen, onClose }: BrokerOptions = {}): PromptBroker {
  const open = new Map<string, Open>();
  const closed = new Set<string>();
  const close = (id: string, answer: PermissionAnswer | undefined): void => {
    const entry = open.get(id);
    if (!entry) return;
    open.delete(id);
    closed.add(id);
    if (closed.size > mostClosed)
      for (const oldest of [...closed].slice(0, 1)) closed.delete(oldest);
    entry.end(answer);
    onClose?.({ id, how: answer ? 'answered' : 'withdrawn' });
  };
  return {
    dialog: (prompt, { signal, touched }) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(undefined);
        const code = newCode();
        const withdraw = () => close(prompt.id, undefined);
        const end = (answer: PermissionAnswer | undefined) => {
          signal.removeEventListener('abort', withdraw);
          resolve(answer);
        };
        open.set(prompt.id, { prompt, code, end, touched, wrong: 0 });
        signal.addEventListener('abort', withdraw, { once: true });
        onOpen?.({ prompt, code });
      }),
    pending: () => [...open.values()].map(({ prompt }) => prompt),
    answer(given) {
      const reply = readReply(given);
      if (!reply) return 'invalid';
      const entry = open.get(reply.id);
      if (!entry) return closed.has(reply.id) ? 'withdrawn' : 'unknown';
      if (!isSame(reply.code, entry.code)) {
        entry.wrong += 1;
        if (entry.wrong >= mostWrong) close(reply.id, undefined);
        return 'wrong-code';
      }
      if (reply.digest !== entry.prompt.digest) return 'changed';
      close(reply.id, reply.answer);
      return 'taken';
    },
    touch(id) {
      const entry = open.get(id);
      entry?.touched();
      return entry !== undefined;
    },
    close() {
      for (const id of open.keys()) close(id, undefined);
    },
  };
}

/** Eight letters and digits that are not taken for one another: 39 bits, and five guesses. */
const newCode = (): string =>
  Array.from({ length: 8 }, () => letters[randomInt(letters.length)]).join('');

function isSame(given: string, code: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(code)];
  return a.length === b.length && timingSafeEqual(a, b);
}
