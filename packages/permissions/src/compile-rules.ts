import type { Behavior, Diagnostic, RuleEntry } from '@toolgate/core';
import { addContent, type Report } from './add-content.ts';
import { canonicalName } from './legacy-names.ts';
import { isAllowedGlob } from './name-index.ts';
import { parseRule } from './parse-rule.ts';
import { documentedTools } from './rule-syntax.ts';
import { createTable, type RuleTable } from './rule-table.ts';
import { compileGlob, matchesStars } from './star-pattern.ts';

export interface CompiledRules {
  readonly deny: RuleTable;
  readonly ask: RuleTable;
  readonly allow: RuleTable;
  /** What was dropped, ignored or is not as it looks. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Compiles rules once; the answer is immutable from here on. A bad rule is dropped alone. */
export function compileRules(rules: readonly RuleEntry[], home: string): CompiledRules {
  const tables: Record<Behavior, RuleTable> = {
    deny: createTable('wide'),
    ask: createTable('wide'),
    allow: createTable('narrow'),
  };
  const diagnostics: Diagnostic[] = [];
  for (const entry of rules) {
    const { file, line, pointer } = entry;
    const reported = new Set<string>();
    addRule(tables[entry.behavior], entry, home, (code, message, severity = 'warning') => {
      if (reported.has(code)) return;
      reported.add(code);
      diagnostics.push({
        code,
        message: `${entry.behavior} rule ${JSON.stringify(entry.text)}: ${message}`,
        severity,
        ...(file !== undefined && { file }),
        ...(line !== undefined && { line }),
        ...(pointer !== undefined && { pointer }),
      });
    });
  }
  return { ...tables, diagnostics };
}

/** Adds one rule to a table. What cannot count is reported and left out. */
export function addRule(table: RuleTable, entry: RuleEntry, home: string, report: Report): void {
  const parsed = parseRule(entry.text);
  if (!parsed.ok) return report(parsed.code, parsed.problem, 'error');
  const { tool, content } = parsed.rule;
  const isAllow = table.reading === 'narrow';
  if (isAllow && tool.includes('*') && !isAllowedGlob(tool))
    return report(
      'rule-allow-glob',
      'an allow rule may use * in the tool name only after mcp__server__, so it is ignored.',
    );
  if (isAllow && tool.startsWith('mcp__') && /[^\w*-]/.test(tool))
    return report(
      'rule-tool-name',
      'an MCP name holds only letters, digits, _ and -, so it matches no tool.',
    );
  warnUnknown(tool, report);
  if (content === undefined) return table.names.add(tool, entry);
  for (const name of toolsOf(tool))
    addContent(table, { tool: name, content }, { entry, home, report });
}

/** A name glob with content stands for every documented tool it matches. */
function toolsOf(tool: string): readonly string[] {
  if (!tool.includes('*') || tool.startsWith('mcp__')) return [tool];
  const glob = compileGlob(tool);
  return [...documentedTools].filter((name) => matchesStars(glob, name)).concat(tool);
}

function warnUnknown(tool: string, report: Report): void {
  if (/[_*]/.test(tool) || documentedTools.has(canonicalName(tool))) return;
  report(
    'rule-unknown-tool',
    'no documented tool has this name. It counts only for a tool of exactly this name.',
  );
}
