import { findSecrets } from './find-secrets.ts';

/** A text without its secrets. */
export interface Redacted {
  readonly text: string;
  readonly count: number;
}

/**
 * Replaces each well-known secret by `[redacted KIND]`. The rule set is secretlint's recommended one, and forms that
 * speak for themselves.
 *
 * @throws Error, as a rejection, when the rule set fails: whoever publishes the text keeps it back then.
 */
export async function redactSecrets(text: string): Promise<Redacted> {
  if (text.length < 16) return { text, count: 0 }; // no known secret is that short
  const found = await findSecrets(text);
  let redacted = '';
  let at = 0;
  for (const { kind, start, end } of found) {
    redacted += `${text.slice(at, start)}[redacted ${kind}]`;
    at = end;
  }
  return { text: redacted + text.slice(at), count: found.length };
}
