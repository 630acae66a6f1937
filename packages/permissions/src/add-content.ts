import type { Diagnostic, RuleEntry } from '@toolgate/core';
import { braceAlternatives } from './brace-alternatives.ts';
import { hostWithin, isHostPattern } from './domain-index.ts';
import { canonicalName } from './legacy-names.ts';
import { parameterRule, parseParameter } from './parameter-rule.ts';
import type { ParsedRule } from './parse-rule.ts';
import { compilePath, type Reading } from './path-pattern.ts';
import { normalPowerShell } from './powershell-text.ts';
import { contentKind, isPrimaryField } from './rule-syntax.ts';
import { addCommand, type RuleTable } from './rule-table.ts';

/** Hears of what is dropped, ignored or not as it looks. Default severity: warning. */
export type Report = (code: string, message: string, severity?: Diagnostic['severity']) => void;

interface Context {
  readonly entry: RuleEntry;
  readonly home: string;
  readonly report: Report;
}

/** Adds a rule with content to the table, as what content means for its tool. */
export function addContent(
  table: RuleTable,
  rule: Required<ParsedRule>,
  { entry, home, report }: Context,
): void {
  const { content } = rule;
  if (contentKind(rule.tool) === 'command' && isDescription(content))
    return report(
      'rule-description',
      'it describes commands in words: a language model judges by it, where one is given.',
      'info',
    );
  const name = canonicalName(rule.tool);
  const names = [rule.tool, name];
  const wasParameter = addParameter(table, rule, { entry, home, report });
  if (wasParameter === 'refused') return;
  switch (contentKind(rule.tool)) {
    case 'command':
      if (content.startsWith('*'))
        report(
          'rule-leading-star',
          'it begins with *, so it is tried on every command; such rules are slow in numbers.',
          'info',
        );
      if (/^\s*:?\*+$/.test(content)) return addEverything(table, rule.tool, entry, report);
      if (/[^\s:*]\*$/.test(content))
        report(
          'rule-no-boundary',
          'its final * also matches longer words. Put a blank before it to mean whole words.',
          'info',
        );
      return addCommand(table, names, content, entry);
    case 'powershell':
      return addCommand(table, names, normalPowerShell(content), entry);
    case 'skill':
    case 'text':
      return addCommand(table, names, content, entry);
    case 'path':
      return addPath(table, name === 'Read' ? 'Read' : 'Edit', content, { entry, home, report });
    case 'domain':
      return addDomain(table, content, wasParameter === 'added', { entry, home, report });
    case 'ignored-path':
      if (wasParameter === 'added') return;
      return report(
        'rule-path-ignored',
        `path rules are read for Edit and Read alone, so it is ignored. Write ${/^(Glob|Grep)$/.test(name) ? 'Read' : 'Edit'}(…) instead.`,
      );
    case 'none':
      if (wasParameter !== 'added')
        report(
          'rule-content-ignored',
          'rules for this tool take no content, so it is ignored. Write the name alone.',
          'error',
        );
  }
}

/** `prompt: …` is for the side query; `prompt:*` is still a prefix. */
const isDescription = (content: string): boolean => /^prompt:\s*[^\s*]/.test(content);

/** `Bash(:*)` says every command in an odd way: strict lists take it so, an allow list does not. */
function addEverything(table: RuleTable, tool: string, entry: RuleEntry, report: Report): void {
  if (table.reading !== 'narrow') return table.names.add(tool, entry);
  report(
    'rule-no-prefix',
    'nothing stands before the star, so it is ignored. Write the tool name alone to allow everything.',
    'error',
  );
}

/** Adds the rule as `param:value` where it can be one. In an allow list such text is ordinary content. */
function addParameter(
  table: RuleTable,
  { tool, content }: Required<ParsedRule>,
  { entry, report }: Context,
): 'added' | 'refused' | undefined {
  const parameter = table.reading === 'narrow' ? undefined : parseParameter(content);
  if (!parameter || (contentKind(tool) === 'domain' && parameter.field === 'domain'))
    return undefined;
  if (isPrimaryField(canonicalName(tool), parameter.field)) {
    // `command:*` is also the prefix form for the shell builtin of that name; as that it stays.
    if (contentKind(tool) === 'command' && parameter.value === '*') return undefined;
    report(
      'rule-primary-field',
      `${parameter.field} is what content rules of this tool are about, so a parameter rule on it is ignored. Write the content alone.`,
    );
    return 'refused';
  }
  table.parameters.add(tool, parameterRule(parameter.field, parameter.value, entry));
  return 'added';
}

const machineFolders =
  /^\/(?:etc|usr|var|home|Users|tmp|opt|srv|root|mnt|media|dev|proc|sys|bin|sbin|lib|boot|private|Volumes)(?:\/|$)/;

function addPath(
  table: RuleTable,
  kind: 'Read' | 'Edit',
  content: string,
  { entry, home, report }: Context,
): void {
  const pattern = compilePath(content, table.reading, ignoresCase(table.reading));
  if (typeof pattern === 'string') return report('rule-path', pattern, 'error');
  if (machineFolders.test(content))
    report(
      'rule-single-slash',
      'a single / begins at the folder of the settings it is written in. Write // for an absolute path.',
    );
  if (/\{[^}]*,[^}]*\}/.test(content))
    report(
      'rule-braces',
      table.reading === 'narrow'
        ? 'braces are plain characters in path rules. Write one rule for each alternative.'
        : 'braces are plain characters in path rules. As a deny or ask each alternative binds as well; better write one rule for each.',
    );
  const alternatives = table.reading === 'narrow' ? [] : braceAlternatives(content);
  for (const text of alternatives) {
    const each = compilePath(text, table.reading, ignoresCase(table.reading));
    if (typeof each !== 'string') table.paths[kind].add(each, entry, home);
  }
  table.paths[kind].add(pattern, entry, home);
}

/** Deny and ask rules ignore case where file systems usually do. */
const ignoresCase = (reading: Reading) =>
  reading === 'wide' && /^(darwin|win32)$/.test(process.platform);

function addDomain(
  table: RuleTable,
  content: string,
  wasParameter: boolean,
  { entry, report }: Context,
): void {
  const [, written] = /^domain\s*:\s*(.+)$/s.exec(content) ?? [];
  if (written === undefined) {
    if (!wasParameter)
      report(
        'rule-domain',
        'WebFetch rules name a host: WebFetch(domain:example.com). It is ignored.',
        'error',
      );
    return;
  }
  const host = table.reading === 'narrow' ? written : hostWithin(written);
  if (host !== written)
    report('rule-domain', 'a domain is a host without scheme, port or path; only the host counts.');
  if (!isHostPattern(host))
    return report(
      'rule-domain',
      'a domain is a host without scheme, port or path, so it matches nothing.',
      'error',
    );
  table.domains.add(host, entry);
}
