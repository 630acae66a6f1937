import { openSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { ReadStream, WriteStream } from 'node:tty';
import {
  type Dialog,
  type PermissionAnswer,
  type PermissionPrompt,
  visibleText,
} from '@toolgate/core';
import { UsageError } from './usage-error.ts';

/** How much of an input is shown before the rest is counted. */
const shownChars = 2_000;

/** Asks at the terminal itself, since standard input holds the calls. One question at a time. */
export function openTerminalDialog(): { readonly dialog: Dialog; close(): void } {
  const input = new ReadStream(openTerminal());
  const output = new WriteStream(openTerminal());
  // Not as a raw terminal: Ctrl-C then interrupts the run as it does everywhere else.
  const lines = createInterface({ input, output, terminal: false });
  const hasEnded = new Promise<undefined>((resolve) =>
    lines.once('close', () => resolve(undefined)),
  );
  const ask = async (prompt: PermissionPrompt, signal: AbortSignal) => {
    if (signal.aborted) return undefined;
    const answer = lines.question(textOf(prompt), { signal }).catch(() => undefined);
    return readAnswer(prompt, await Promise.race([answer, hasEnded]));
  };
  let last: Promise<unknown> = Promise.resolve();
  const dialog: Dialog = (prompt, { signal }) => {
    const asked = last.then(() => ask(prompt, signal));
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

/** The question as a person reads it; whatever the model wrote is shown with its hidden characters visible. */
function textOf(prompt: PermissionPrompt): string {
  const input = JSON.stringify(prompt.input, undefined, 2);
  const rest =
    input.length > shownChars ? `\n… and ${input.length - shownChars} more characters` : '';
  const lines = [
    '',
    `${prompt.tool} wants to run:`,
    visibleText(input.slice(0, shownChars), '\n') + rest,
    visibleText(prompt.reason),
    ...prompt.warnings.map((warning) => `Warning: ${visibleText(warning.message)}`),
    ...(prompt.suggestedRules.length > 0
      ? [
          `"a" would allow, until this run ends: ${prompt.suggestedRules.map(({ rule }) => visibleText(rule)).join(', ')}`,
        ]
      : []),
  ];
  const always = prompt.suggestedRules.length > 0 ? ', a = always in this run' : '';
  return `${lines.join('\n')}\nAllow it? [y = once${always}, n = no, or say why not] `;
}

function readAnswer(
  prompt: PermissionPrompt,
  line: string | undefined,
): PermissionAnswer | undefined {
  const answer = line?.trim();
  if (answer === undefined || answer === '') return undefined;
  if (/^y(es)?$/i.test(answer)) return { behavior: 'allow' };
  if (/^a(lways)?$/i.test(answer) && prompt.suggestedRules.length > 0)
    return {
      behavior: 'allow',
      rules: prompt.suggestedRules.map(({ rule }) => rule),
      destination: 'session',
    };
  if (/^no?$/i.test(answer)) return { behavior: 'deny' };
  return { behavior: 'deny', message: answer };
}
