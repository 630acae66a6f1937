import type { ResultStore } from '@toolgate/core';
import { boundedText } from './bounded-text.ts';
import type { HookOutput } from './hook-output.ts';

/** The texts of an answer, each within the protocol's limit. */
export async function boundedOutput(
  output: HookOutput,
  store: ResultStore | undefined,
): Promise<HookOutput> {
  const texts = ['reason', 'context', 'message', 'stopReason'] as const;
  const entries = await Promise.all(
    texts.flatMap((key) => {
      const text = output[key];
      return text === undefined
        ? []
        : [boundedText(text, store).then((short) => [key, short] as const)];
    }),
  );
  return { ...output, ...Object.fromEntries(entries) };
}
