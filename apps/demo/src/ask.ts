import { createInterface } from 'node:readline/promises';
import { visibleText, type Dialog } from '@toolgate/core';

/** Asks at the terminal where there is one, else takes the answer from the script. */
export function createDialog(
  scripted: (toolUseId: string) => 'allow' | 'deny',
  onAnswer: (toolUseId: string, behavior: 'allow' | 'deny') => void,
): Dialog {
  return async (prompt, { signal }) => {
    const behavior =
      process.stdin.isTTY && process.stdout.isTTY
        ? await askPerson(prompt, signal)
        : scripted(prompt.toolUseId);
    onAnswer(prompt.toolUseId, behavior);
    return { behavior };
  };
}

async function askPerson(
  prompt: Parameters<Dialog>[0],
  signal: AbortSignal,
): Promise<'allow' | 'deny'> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const shown = visibleText(`${prompt.tool} ${JSON.stringify(prompt.input)}`);
  const question = `\n  ${shown}\n  ${visibleText(prompt.reason)} Allow it? [y/N] `;
  const answer = await terminal.question(question, { signal }).finally(() => terminal.close());
  return /^y(es)?$/i.test(answer.trim()) ? 'allow' : 'deny';
}
