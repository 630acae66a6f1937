import type { AssistantMessage, ToolUse } from '@toolgate/core';
import { badLine, isObject, type BadLine } from './parse-line.ts';
import type { InputLine } from './read-lines.ts';

/** The assistant message in a line of calls or of a transcript; undefined for one without a `tool_use`. */
export function messageIn(
  line: InputLine,
  value: Readonly<Record<string, unknown>>,
): AssistantMessage | BadLine | undefined {
  if (value['type'] === 'tool_use') return checked(line, { role: 'assistant', content: [value] });
  if (value['type'] === 'assistant')
    return isObject(value['message'])
      ? checked(line, value['message'])
      : badLine(line, 'an assistant line without a "message"');
  if (value['role'] === 'assistant') return checked(line, value);
  if (typeof value['type'] === 'string' || typeof value['role'] === 'string') return undefined;
  return badLine(
    line,
    'neither a tool_use block nor an assistant message: it needs "type" or "role"',
  );
}

function checked(
  line: InputLine,
  message: Readonly<Record<string, unknown>>,
): AssistantMessage | BadLine | undefined {
  const { content } = message;
  if (typeof content === 'string') return undefined;
  if (!Array.isArray(content)) return badLine(line, 'an assistant message without "content"');
  const uses = content.filter((block: unknown) => isObject(block) && block['type'] === 'tool_use');
  const broken = uses.find((use: unknown) => !isToolUse(use));
  if (broken !== undefined)
    return badLine(line, 'a tool_use block needs "id" and "name" as texts, and "input"');
  return uses.length > 0 ? { role: 'assistant', content: uses } : undefined;
}

const isToolUse = (use: unknown): use is ToolUse =>
  isObject(use) &&
  typeof use['id'] === 'string' &&
  typeof use['name'] === 'string' &&
  'input' in use;
