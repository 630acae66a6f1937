import { visibleText, type PermissionPrompt, type PermissionUnit, type View } from '@toolgate/core';

/** How a prompt is written out. */
export interface PromptTextOptions {
  /** UTF-16 code units of input and drawing that are shown; the rest is counted. Default 2,000. */
  readonly maxChars?: number;
}

/**
 * A prompt as text for people. Whatever the model, a server or a hook wrote is shown with its hidden characters
 * visible, and what is left out is counted (security rule 23).
 */
export function promptText(
  prompt: PermissionPrompt,
  { maxChars = 2_000 }: PromptTextOptions = {},
): string {
  const { units, warnings, preview, input } = prompt;
  const shown = (text: string) => shortened(text, maxChars);
  const agent = prompt.agentId === undefined ? '' : ` (agent ${visibleText(prompt.agentId)})`;
  const drawn = preview && drawnText(preview);
  const parts = units.map(unitText).filter((text) => text !== undefined);
  return [
    `${visibleText(prompt.tool)}${agent} wants to run:`,
    shown(JSON.stringify(input, undefined, 2)),
    ...(preview?.type === 'diff' && drawn ? ['The change:', shown(drawn)] : []),
    ...(parts.length > 1
      ? ['These parts need approval:', ...parts.map((part) => `  ${part}`)]
      : []),
    visibleText(reasonOf(prompt)),
    ...warnings.map(({ message }) => `Warning: ${visibleText(message)}`),
    ...(prompt.destructive && warnings.length === 0 ? ['Warning: this cannot be undone.'] : []),
    ...(prompt.classifier === 'pending' ? ['A classifier is still looking at it.'] : []),
  ].join('\n');
}

/** The reason with who gave it, so that nobody else's words pass for Toolgate's; and the rule. */
function reasonOf({ reason, askedBy, rule }: PermissionPrompt): string {
  const isForeign = askedBy !== undefined && askedBy.plugin !== 'toolgate';
  const said = isForeign ? `${askedBy.from} (${askedBy.plugin}) says: ${reason}` : reason;
  if (!rule) return said;
  const place = [rule.file, rule.line].filter((part) => part !== undefined).join(':');
  return `${said} The rule is ${rule.behavior} ${rule.text}, of ${place || rule.source}.`;
}

function shortened(text: string, maxChars: number): string {
  const visible = visibleText(text.slice(0, maxChars), '\n');
  const rest = text.length - maxChars;
  return rest > 0 ? `${visible}\n… and ${rest} more characters` : visible;
}

/** One line for a unit: the command, or what is read or written. */
function unitText({ tool, content, exact, path, open }: PermissionUnit): string | undefined {
  if (path !== undefined)
    return `${tool} ${visibleText(path)}${open ? ' and what lies below' : ''}`;
  const text = exact ?? content;
  return text === undefined ? undefined : `${tool} ${visibleText(text)}`;
}

function drawnText(view: View): string {
  if (view.type === 'diff') return view.patch;
  if (view.type === 'list') return view.items.map(drawnText).join('\n');
  if (view.type === 'table')
    return [view.columns, ...view.rows].map((row) => row.join('  ')).join('\n');
  return view.text;
}
