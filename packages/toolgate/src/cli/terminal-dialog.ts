import { openSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { ReadStream, WriteStream } from 'node:tty';
import { type Dialog, type PermissionPrompt, visibleText } from '@toolgate/core';
import { promptText } from '@toolgate/permissions';
import { answersFor, readTypedAnswer } from './terminal-answer.ts';
import { UsageError } from './usage-error.ts';

/** Asks at the terminal itself, since standard input holds the calls. One question at a time. */
export function openTerminalDialog(): { readonly dialog: Dialog; close(): void } {
  const input = new ReadStream(openTerminal());
  const output = new WriteStream(openTerminal());
  // Not as a raw terminal: Ctrl-C then interrupts the run as it does everywhere else.
  const lines = createInterface({ input, output, terminal: false });
  const hasEnded = new Promise<undefined>((resolve) =>
    lines.once('close', () => resolve(undefined)),
  );
  const ask = async (prompt: PermissionPrompt, { signal, touched }: Parameters<Dialog>[1]) => {
    if (signal.aborted) return undefined;
    input.once('data', touched);
    let question = textOf(prompt);
    for (;;) {
      const typed = lines.question(question, { signal }).catch(() => undefined);
      const line = await Promise.race([typed, hasEnded]);
      if (line === undefined || line.trim() === '') return undefined;
      const read = readTypedAnswer(line, prompt);
      if ('answer' in read) return read.answer;
      question = `${visibleText(read.unclear)}\n${questionFor(prompt)}`;
    }
  };
  let last: Promise<unknown> = Promise.resolve();
  const dialog: Dialog = (prompt, options) => {
    const asked = last.then(() => ask(prompt, options));
    last = asked;
    return asked;
  };
  return {
    dialog,
    close() {
      lines.close();
      input.destroy();
      output.destroy();
    },
  };
}

function openTerminal(): number {
  try {
    return openSync('/dev/tty', 'r+');
  } catch {
    throw new UsageError('--prompt needs a terminal, and there is none');
  }
}

/** The question as a person reads it, with what would be kept where. */
function textOf(prompt: PermissionPrompt): string {
  const kept = prompt.suggestedRules.map(
    ({ rule, destination }) => `${visibleText(rule)} (${destination})`,
  );
  const always = kept.length > 0 ? `\n"a" would keep: ${kept.join(', ')}` : '';
  return `\n${promptText(prompt)}${always}\n${questionFor(prompt)}`;
}

const questionFor = (prompt: PermissionPrompt): string => `Allow it? [${answersFor(prompt)}] `;
