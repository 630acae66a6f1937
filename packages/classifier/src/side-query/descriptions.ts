import type { Diagnostic, Provenance, SettingsSnapshot } from '@toolgate/core';

/** A person's words for what may run, or what must not. */
export interface Description extends Provenance {
  readonly text: string;
  /** What a match means. */
  readonly effect: 'allow' | 'ask' | 'deny';
  /** The tool it is about; absent: any. */
  readonly tool?: string;
}

/** Longest description, and how many there may be: more is no description but a program. */
const longest = 500;
const most = 100;

/** Reads `classifier.allow`, `classifier.deny` and `Bash(prompt: …)` rules. What cannot be read is reported and left out. */
export function readDescriptions(settings: SettingsSnapshot): {
  readonly descriptions: readonly Description[];
  readonly diagnostics: readonly Diagnostic[];
} {
  const descriptions: Description[] = [];
  const diagnostics: Diagnostic[] = [];
  const report = (from: Provenance, pointer: string | undefined, message: string) =>
    diagnostics.push({
      code: 'description-ignored',
      severity: 'warning',
      message,
      ...(from.file !== undefined && { file: from.file }),
      ...(from.line !== undefined && { line: from.line }),
      ...(pointer !== undefined && { pointer }),
    });
  const isManagedOnly = settings.values.some(
    ({ key, value, source }) =>
      key === 'allowManagedPermissionRulesOnly' && value === true && source === 'policySettings',
  );
  const add = (text: unknown, found: Omit<Description, 'text'>) => {
    const trimmed = typeof text === 'string' ? text.trim() : '';
    if (trimmed === '')
      report(
        found,
        found.pointer,
        'a description is a text that says what to allow or deny; this one was ignored.',
      );
    else if (trimmed.length > longest)
      report(
        found,
        found.pointer,
        `a description has at most ${longest} characters; this one has ${trimmed.length} and was ignored.`,
      );
    else if (descriptions.length >= most)
      report(found, found.pointer, `at most ${most} descriptions are read; this one was ignored.`);
    else if (isManagedOnly && found.effect === 'allow' && found.source !== 'policySettings')
      report(
        found,
        found.pointer,
        'only your organisation’s descriptions may allow; this one was held back.',
      );
    else descriptions.push({ ...found, text: trimmed });
  };

  for (const { key, value, ...from } of settings.values) {
    if (key !== 'classifier') continue;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      report(
        from,
        from.pointer,
        '"classifier" is an object with the lists "allow" and "deny"; it was ignored.',
      );
      continue;
    }
    const denies = effectOfDeny(Reflect.get(value, 'onDeny'));
    if (denies === undefined)
      report(from, `${from.pointer ?? ''}/onDeny`, '"onDeny" is "ask" or "deny"; a match asks.');
    for (const [name, texts] of Object.entries(value)) {
      const pointer = `${from.pointer ?? ''}/${name}`;
      if (name === 'onDeny') continue;
      if (name !== 'allow' && name !== 'deny')
        report(
          from,
          pointer,
          `"${name.slice(0, 60)}" is no key of "classifier"; use "allow", "deny" or "onDeny".`,
        );
      else if (!Array.isArray(texts))
        report(from, pointer, `"classifier.${name}" is a list of texts; it was ignored.`);
      else
        for (const [index, text] of texts.entries())
          add(text, {
            ...from,
            pointer: `${pointer}/${index}`,
            effect: name === 'allow' ? 'allow' : (denies ?? 'ask'),
          });
    }
  }
  for (const { text, behavior, root: _root, ...from } of settings.rules) {
    const [, tool, words] = /^(\w+)\(prompt:\s*([^\s*].*)\)$/s.exec(text) ?? [];
    if (tool !== undefined) add(words, { ...from, effect: behavior, tool });
  }
  return { descriptions, diagnostics };
}

function effectOfDeny(value: unknown): 'ask' | 'deny' | undefined {
  if (value === undefined) return 'ask';
  return value === 'ask' || value === 'deny' ? value : undefined;
}
