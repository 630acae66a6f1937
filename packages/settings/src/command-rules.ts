import type { Behavior, Diagnostic, RuleEntry } from '@toolgate/core';
import { LineCounter, parseDocument, isMap, isScalar, isSeq } from 'yaml';
import { heldBack } from './hold-back.ts';
import { splitRules } from './split-rules.ts';

/** A command's own rules, for `gate.policy.addRules('command', rules)`. */
export interface CommandRules {
  readonly rules: readonly RuleEntry[];
  readonly diagnostics: readonly Diagnostic[];
}

/** What may be said about a command file. */
export interface CommandOptions {
  /** Absolute. */
  readonly file: string;
  /** The folder that `/path` in a rule is anchored at. */
  readonly root: string;
  /** False for a command of a folder that nobody trusts: it can only take away. */
  readonly trusted: boolean;
}

const keys: Readonly<Record<string, Behavior>> = {
  'allowed-tools': 'allow',
  allowedTools: 'allow',
  'disallowed-tools': 'deny',
  disallowedTools: 'deny',
};
const maxChars = 100_000;

/**
 * Reads the rules of a command, skill or agent from its frontmatter: `allowed-tools` and
 * `disallowed-tools`, a list or a text. Takes any text; what is wrong becomes a diagnostic.
 */
export function commandRules(text: string, options: CommandOptions): CommandRules {
  const { file, root, trusted } = options;
  const frontmatter = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)^---[ \t]*\r?$/m.exec(
    text.slice(0, maxChars),
  );
  if (!frontmatter || frontmatter.index !== 0) return { rules: [], diagnostics: [] };
  const lines = new LineCounter();
  const document = parseDocument(frontmatter[1] ?? '', { lineCounter: lines, logLevel: 'silent' });
  const [error] = document.errors;
  if (error)
    return {
      rules: [],
      diagnostics: [
        {
          code: 'frontmatter-invalid',
          severity: 'error',
          message: 'The frontmatter is not valid YAML, so none of its rules count.',
          file,
          line: (error.linePos?.[0].line ?? 1) + 1,
        },
      ],
    };
  const rules: RuleEntry[] = [];
  const diagnostics: Diagnostic[] = [];
  const map = document.contents;
  for (const { key, value } of isMap(map) ? map.items : []) {
    const name = isScalar(key) ? String(key.value) : '';
    const behavior = Object.hasOwn(keys, name) ? keys[name] : undefined;
    if (!behavior) continue;
    const items: readonly unknown[] = isSeq(value) ? value.items : [value];
    for (const [index, item] of items.entries()) {
      const line = lines.linePos((isScalar(item) && item.range?.[0]) || 0).line + 1;
      const pointer = isSeq(value) ? `/${name}/${index}` : `/${name}`;
      if (!isScalar(item) || typeof item.value !== 'string') {
        diagnostics.push({
          code: 'rule-invalid',
          severity: 'error',
          message: `An entry of "${name}" must be text; this rule alone is dropped.`,
          file,
          line,
          pointer,
        });
        continue;
      }
      for (const rule of isSeq(value) ? [item.value.trim()] : splitRules(item.value))
        if (rule !== '')
          rules.push({ behavior, text: rule, source: 'command', file, root, line, pointer });
    }
  }
  const allows = rules.filter(({ behavior }) => behavior === 'allow');
  const [first] = allows;
  if (trusted || !first) return { rules, diagnostics };
  const what = `${allows.length} allow rule${allows.length === 1 ? '' : 's'}`;
  return {
    rules: rules.filter(({ behavior }) => behavior !== 'allow'),
    diagnostics: [...diagnostics, heldBack(file, what, first)],
  };
}
