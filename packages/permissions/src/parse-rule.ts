/** A rule taken apart. Without `content` it is about the whole tool. */
export interface ParsedRule {
  /** As written: a name, an old name, or a glob over names. */
  readonly tool: string;
  readonly content?: string;
}

/** A rule taken apart, or why it is none: a code and one sentence. */
export type ParseResult =
  | { readonly ok: true; readonly rule: ParsedRule }
  | { readonly ok: false; readonly code: string; readonly problem: string };

const fault = (code: string, problem: string): ParseResult => ({ ok: false, code, problem });

/**
 * Takes `Tool` or `Tool(content)` apart. The content runs to the last `)`, so it may hold parentheses
 * itself; `Tool(*)` is `Tool`. What is wrong is said in one sentence without the rule's text.
 */
export function parseRule(text: string): ParseResult {
  const whole = text.trim();
  if (whole === '') return fault('rule-empty', 'The rule is empty. Write Tool or Tool(content).');
  const open = whole.indexOf('(');
  const tool = open === -1 ? whole : whole.slice(0, open).trim();
  if (open === -1 && whole.includes(')'))
    return fault('rule-unbalanced', 'The rule has a ")" but no "(". Write Tool or Tool(content).');
  if (tool === '')
    return fault('rule-no-tool', 'The rule names no tool before "(". Write Tool(content).');
  // The names of MCP servers are free, blanks included; what is not in a tool's name is looked past later.
  if ((tool.startsWith('mcp__') ? /["'`,;\\\t\n\r]/ : /[\s"'`,;\\:/]/).test(tool))
    return fault(
      'rule-tool-name',
      'What stands before "(" is no tool name. Use the name the model calls, such as Bash or mcp__server__tool.',
    );
  if (open === -1) return { ok: true, rule: { tool } };
  if (!whole.endsWith(')'))
    return whole.includes(')', open)
      ? fault('rule-trailing-text', 'Text stands after the last ")". Nothing may follow it.')
      : fault('rule-unbalanced', 'The "(" is not closed. End the rule with ")".');
  const content = whole.slice(open + 1, -1).trim();
  if (content === '')
    return fault(
      'rule-empty-parentheses',
      'The rule has empty parentheses. Leave them out to mean every use of the tool.',
    );
  return { ok: true, rule: content === '*' ? { tool } : { tool, content } };
}
