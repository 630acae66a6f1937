import type { PermissionAnswer, PermissionPrompt, UpdateDestination } from '@toolgate/core';
import { parseRule } from '@toolgate/permissions';
import { isObject } from './parse-line.ts';

/** What a typed line comes to: an answer, or a sentence that says why it is none and is followed by another question. */
export type TypedAnswer = { readonly answer: PermissionAnswer } | { readonly unclear: string };

const destinations: Readonly<Record<string, UpdateDestination>> = {
  session: 'session',
  user: 'userSettings',
  project: 'projectSettings',
  local: 'localSettings',
};

/** The line that says what may be typed. */
export function answersFor({ suggestedRules }: PermissionPrompt): string {
  const always = suggestedRules.length > 0 ? 'a = always' : 'a [place] RULE = always by that rule';
  return `y = once, ${always}, e {…} = with this input instead, n = no, or say why not`;
}

/**
 * Reads what a person typed: `y`; `a [session|user|project|local] [RULE]`; `e {"command": …}`; `n`; any other text
 * is a no with that text as its reason.
 */
export function readTypedAnswer(line: string, prompt: PermissionPrompt): TypedAnswer {
  const text = line.trim();
  if (/^y(?:es)?$/i.test(text)) return { answer: { behavior: 'allow' } };
  if (/^no?$/i.test(text)) return { answer: { behavior: 'deny' } };
  const edit = /^e(?:dit)?\s+(\{.*)$/is.exec(text)?.[1];
  if (edit !== undefined) return editedInput(edit);
  const always = /^a(?:lways)?(?:\s+(session|user|project|local))?(?:\s+([\w*-]+(?:\(.*\))?))?$/i;
  const [isAlways, place, rule] = always.exec(text) ?? [];
  if (isAlways !== undefined) return alwaysBy(prompt, rule, place?.toLowerCase());
  return { answer: { behavior: 'deny', message: text } };
}

function editedInput(json: string): TypedAnswer {
  try {
    const updatedInput: unknown = JSON.parse(json);
    if (isObject(updatedInput)) return { answer: { behavior: 'allow', updatedInput } };
  } catch {
    // Said below.
  }
  return { unclear: 'That input is no JSON object.' };
}

function alwaysBy(
  { suggestedRules }: PermissionPrompt,
  rule: string | undefined,
  place: string | undefined,
): TypedAnswer {
  const parsed = rule === undefined ? undefined : parseRule(rule);
  if (parsed && !parsed.ok) return { unclear: parsed.problem };
  const rules = rule === undefined ? suggestedRules.map((suggested) => suggested.rule) : [rule];
  if (rules.length === 0)
    return { unclear: 'No rule is suggested here; write one behind the a, or answer y.' };
  const destination =
    (place !== undefined && destinations[place]) || suggestedRules[0]?.destination || 'session';
  return { answer: { behavior: 'allow', rules, destination } };
}
