import { redactSecrets } from './redact-secrets.ts';

/** Longest secret that is found across the parts of a stream, in characters. */
const longestSecret = 20_000;

/**
 * Redacts a text as it comes. What may be the beginning of a secret is held back until the rest is there, 20,000
 * characters at most: a private key is longer than a line.
 */
export function redactStream(): TransformStream<string, string> {
  let held = '';
  return new TransformStream({
    async transform(part, controller) {
      held += part;
      const from = held.length - longestSecret;
      if (from < longestSecret) return;
      const { text } = await redactSecrets(held);
      // What was redacted ends where it ends; the tail is looked at again with what comes.
      const tail = text.slice(-longestSecret);
      controller.enqueue(text.slice(0, text.length - tail.length));
      held = tail;
    },
    async flush(controller) {
      controller.enqueue((await redactSecrets(held)).text);
      held = '';
    },
  });
}
