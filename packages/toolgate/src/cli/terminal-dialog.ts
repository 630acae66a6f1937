import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import type { Dialog, PermissionAnswer, PermissionPrompt } from '@toolgate/core';
import { UsageError } from './usage-error.ts';
import { visible } from './visible.ts';

/** How much of an input is shown before the rest is counted. */
const shownChars = 2_000;

/** Asks at the terminal itself, since standard input holds the calls. One question at a time. */
export async function openTerminalDialog(): Promise<{ readonly dialog: Dialog; close(): void }> {
  const terminal = await open('/dev/tty', 'r+').catch(() => {
    throw new UsageError('--prompt needs a terminal, and there is none');
  });
  const input = terminal.createReadStream({ autoClose: false });
  const output = terminal.createWriteStream({ autoClose: false });
  const lines = createInterface({ input, output });
  let last: Promise<unknown> = Promise.resolve();
  const dialog: Dialog = (prompt, { signal }) => {
    const asked = last.then(async () =>
      signal.aborted
        ? undefined
        : readAnswer(
            prompt,
            await lines.question(textOf(prompt), { signal }).catch(() => undefined),
          ),
    );
    last = asked;
    return asked;
  };
  return {
    dialog,
    close() {
      lines.close();
      input.destroy();
      output.destroy();
      void terminal.close().catch(() => undefined);
    },
  };
}

/** The question as a person reads it; whatever the model wrote is shown with its hidden characters visible. */
function textOf(prompt: PermissionPrompt): string {
  const input = JSON.stringify(prompt.input, undefined, 2);
  const rest =
    input.length > shownChars ? `\n… and ${input.length - shownChars} more characters` : '';
  const lines = [
    '',
    `${prompt.tool} wants to run:`,
    visible(input.slice(0, shownChars), '\n') + rest,
    visible(prompt.reason),
    ...prompt.warnings.map((warning) => `Warning: ${visible(warning.message)}`),
    ...(prompt.suggestedRules.length > 0
      ? [
          `"a" would allow, until this run ends: ${prompt.suggestedRules.map((rule) => visible(rule)).join(', ')}`,
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
    return { behavior: 'allow', rules: prompt.suggestedRules, destination: 'session' };
  if (/^no?$/i.test(answer)) return { behavior: 'deny' };
  return { behavior: 'deny', message: answer };
}
