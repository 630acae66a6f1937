/** A `tool_use` block of the Messages API, as the model wrote it. Never changed, frozen or shared. */
export interface ToolUse {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** A text block of the Messages API. */
export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}

/** Any other block of the Messages API (`image`, `document` …), passed through. */
export interface OtherBlock {
  readonly type: string;
  readonly [key: string]: unknown;
}
/** A block of the Messages API; every kind but text is passed through. */
export type ContentBlock = TextBlock | OtherBlock;

/** A `tool_result` block of the Messages API. */
export interface ToolResultBlock {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content: string | readonly ContentBlock[];
  readonly is_error?: boolean;
}

/** An assistant turn of the Messages API, as an SDK types it; only its `tool_use` blocks are read. */
export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: string | readonly (ToolUse | ContentBlock | { readonly type: string })[];
}

/** A user turn of the Messages API, as the answer to a turn of calls. */
export interface UserMessage {
  readonly role: 'user';
  readonly content: readonly (ToolResultBlock | ContentBlock)[];
}

/** True for what the Messages API takes as the content of a `tool_result`. */
export const isContent = (content: unknown): content is string | readonly ContentBlock[] =>
  typeof content === 'string' ||
  (Array.isArray(content) &&
    content.every(
      (block: unknown) =>
        typeof block === 'object' &&
        block !== null &&
        'type' in block &&
        typeof block.type === 'string',
    ));
