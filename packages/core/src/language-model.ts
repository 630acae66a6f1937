// A language model as the AI SDK's providers make one (`LanguageModelV2` to `V4` of `@ai-sdk/provider`),
// written out as far as Toolgate uses it, so that core needs no package of theirs. The lists are not
// `readonly` because theirs are not.

/** One part of a message. `input` of a `tool-call` is a value, not its text. */
export type ModelPart =
  | { type: 'text'; text: string }
  | { type: 'tool-call'; toolCallId: string; toolName: string; input: unknown }
  | {
      type: 'tool-result';
      toolCallId: string;
      toolName: string;
      output: { type: 'text' | 'error-text'; value: string };
    };
type Part<Type extends ModelPart['type']> = Extract<ModelPart, { type: Type }>;

/** One message of the conversation that a model is given. */
export type ModelMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: Part<'text'>[] }
  | { role: 'assistant'; content: Part<'text' | 'tool-call'>[] }
  | { role: 'tool'; content: Part<'tool-result'>[] };

/** A tool that a model may ask for. */
export interface ModelTool {
  type: 'function';
  name: string;
  description?: string;
  /** JSON Schema of the input. */
  inputSchema: Record<string, never>;
}

/** What a model is asked. */
export interface ModelRequest {
  prompt: ModelMessage[];
  tools?: ModelTool[];
  /** `schema` is JSON Schema. A model may ignore it; the answer is checked all the same. */
  responseFormat?: { type: 'text' } | { type: 'json'; schema?: Record<string, never> };
  maxOutputTokens?: number;
  temperature?: number;
  abortSignal?: AbortSignal;
}

/** What a model gives back. In `content` texts, and `tool-call` parts whose `input` is JSON text, are read. */
export interface ModelAnswer {
  readonly content: readonly { readonly type: string }[];
  /** The text that holds the JSON, where it is not all texts of `content` together. */
  readonly structuredOutputText?: string | undefined;
}

/** A language model for hooks, side queries and pages: any model of the AI SDK's providers. */
export interface LanguageModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  /** One answer, not streamed. */
  doGenerate(request: ModelRequest): PromiseLike<ModelAnswer>;
}
