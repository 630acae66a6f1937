import type { z } from 'zod';
import type { ToolUseContext } from './context.ts';
import type { EffectsAnswer, EffectsFacts } from './effects.ts';
import type { ContentBlock } from './messages.ts';
import type { Opinion } from './opinion.ts';
import type { PermissionMode } from './settings-snapshot.ts';
import type { View } from './view.ts';

/** A JSON object. */
export type AnyObject = Readonly<Record<string, unknown>>;
/** What a running tool reports; any JSON object. */
export type ToolProgressData = AnyObject;

/** What `call` returns. */
export interface ToolResult<O> {
  readonly data: O;
  /** Messages for the conversation after the results of the turn. */
  readonly newMessages?: readonly {
    readonly role: 'user';
    readonly content: string | readonly ContentBlock[];
  }[];
  /** Changes what later calls see; of `cwd` only a folder inside the working directories is taken. */
  readonly contextModifier?: (context: ToolUseContext) => { readonly cwd?: string };
  readonly mcpMeta?: AnyObject;
}

/** `validateInput`: fine, refused, or to be confirmed by a person. */
export type ValidationResult =
  | { readonly result: true }
  | { readonly result: false; readonly message: string; readonly errorCode: number }
  | { readonly result: false; readonly message: string; readonly behavior: 'ask' };

/** `checkPermissions`: an opinion, or none (`passthrough`). `updatedInput` replaces the input before any opinion. */
export type PermissionResult =
  | (Opinion & { readonly updatedInput?: AnyObject })
  | { readonly behavior: 'passthrough'; readonly updatedInput?: AnyObject };

/** What the model reads: text or blocks; `is_error` marks a result the tool itself calls an error. */
export interface MappedResult {
  readonly content: string | readonly ContentBlock[];
  readonly is_error?: boolean;
}

/** What a description may depend on. */
export interface DescriptionOptions {
  readonly isNonInteractiveSession: boolean;
  readonly toolPermissionContext: {
    readonly mode: PermissionMode;
    readonly directories: readonly string[];
  };
  readonly tools: Tools;
}

/** A schema of any library that speaks Standard Schema: Zod, Valibot, ArkType and others. */
export type InputSchema = z.core.$ZodType | StandardSchema;
/** The part of Standard Schema that is used, as its specification has it; `validate` must be synchronous. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    /** Answers with `{ value }` or `{ issues }`, at once. */
    readonly validate: (value: unknown) => unknown;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}
/** What a schema makes of an input. Without a schema of a library it is any JSON object. */
export type InputOf<S> = S extends z.core.$ZodType
  ? z.output<S>
  : S extends StandardSchema<infer Output>
    ? Output
    : AnyObject;

/** Which input fields are paths, and what is done to them. `whenMissing` stands in for an absent field. */
export type PathFields = Readonly<
  Record<
    string,
    | 'Read'
    | 'Edit'
    | {
        readonly as: 'Read' | 'Edit';
        readonly open?: boolean;
        /** The tool asks `context.deniesRead` for each file and leaves out what is denied. */
        readonly filtered?: boolean;
        readonly whenMissing?: string;
      }
  >
>;

/** Where a call that is drawn would run; absent where that is not known. */
export interface DrawnAbout {
  readonly cwd: string;
  readonly home: string;
}

/** A tool with every default filled in. Predicates are functions of the input: one tool can be read-only for `ls` and not for `rm`. */
export interface Tool<I = AnyObject, O = unknown, P = ToolProgressData> {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly deprecatedAliases: readonly string[];
  readonly searchHint: string;
  readonly shouldDefer: boolean;
  readonly alwaysLoad: boolean;
  /** What judges an input. Of a tool that has only an `inputJSONSchema`: the same, in Zod. */
  readonly inputSchema: InputSchema;
  /** What the model gets. Undefined: `inputSchema` exported. */
  readonly inputJSONSchema: AnyObject | undefined;
  readonly outputSchema: z.ZodType | undefined;
  readonly pathFields: PathFields;
  /** Milliseconds; `Infinity` when the tool bounds itself. */
  readonly timeoutMs: number;
  /** UTF-16 code units of text the model may get; `Infinity` when the tool bounds itself. */
  readonly maxResultSizeChars: number;
  /** False takes the tool out of reach; a throw counts as false. Default true. */
  isEnabled(): boolean;
  /** For people and, by default, the model. `input` is undefined outside a call. */
  description(input: Partial<I> | undefined, options: DescriptionOptions): string | Promise<string>;
  /** The text the model reads beside the schema. Default: the description. */
  prompt(options: DescriptionOptions): string | Promise<string>;
  /** What the call would do; synchronous. A throw, a promise or an unknown key leaves one unit that only an exact rule allows. */
  effects(input: I, facts: EffectsFacts): EffectsAnswer;
  /** Checks what the schema cannot, within 30 s; a throw refuses the call. Default: fine. */
  validateInput(input: I, context: ToolUseContext): ValidationResult | Promise<ValidationResult>;
  /** The tool's own view, within 30 s; a throw denies. Its `allow` counts for trusted tools only. Default `passthrough`. */
  checkPermissions(input: I, context: ToolUseContext): PermissionResult | Promise<PermissionResult>;
  /** Adds derived fields for observers; what it changes otherwise is dropped. Gets a clone. */
  backfillObservableInput(
    input: AnyObject,
    context: { readonly cwd: string; readonly home: string },
  ): AnyObject;
  /** The text a classifier may see; empty (default): not classified. */
  toAutoClassifierInput(input: I): string;
  /** Counts for trusted tools only. Default, and when it throws: false. */
  isReadOnly(input: I): boolean;
  /** May run beside its neighbours; trusted tools only. Default, and when it throws: false. */
  isConcurrencySafe(input: I): boolean;
  /** Cannot be undone. Default false; when it throws: true. */
  isDestructive(input: I): boolean;
  /** May run again when it is not known how it ended; trusted tools only. Default, and when it throws: false. */
  isIdempotent(input: I): boolean;
  /** `cancel`: left behind at once by an abort or time limit; `block` (default): given `graceMs` to end. */
  interruptBehavior(): 'block' | 'cancel';
  /** Does the work. `context.signal` aborts at the time limit or an abort; a throw is the failure `tool_failed`. */
  call(
    input: I,
    context: ToolUseContext,
    onProgress: (data: P) => void,
  ): Promise<ToolResult<O>> | ToolResult<O>;
  /** Turns the output into what the model reads; synchronous. A throw withholds the result. Default: text, a picture for its bytes, or JSON. */
  mapToolResultToToolResultBlockParam(data: O, toolUseId: string): MappedResult;
  /** The name people see. Default: `name`. */
  userFacingName(input: Partial<I> | undefined): string;
  /** What is going on, while it runs. Default: `name`. */
  getActivityDescription(input: I): string;
  /** The call before it runs, for a person who is asked; synchronous. Default: its input as JSON. */
  renderToolUseMessage(input: I, about?: DrawnAbout): View;
  /** The output. Default: text, or JSON. */
  renderToolResultMessage(data: O): View;
  /** One progress event. Default: JSON. */
  renderToolUseProgressMessage(data: P): View;
  /** The call when it was not allowed. */
  renderToolUseRejectedMessage(input: I): View;
  /** A failure's message. */
  renderToolUseErrorMessage(message: string): View;
  /** Several calls as one picture; undefined (default): one by one. */
  renderGroupedToolUse(inputs: readonly I[]): View | undefined;
}

/** A tool of whatever input and output. */
export type AnyTool = Tool;
/** A list of tools, replaced as a whole and never changed. */
export type Tools = readonly AnyTool[];

/** What a tool author writes: a name, a description, a schema, `call`, and whatever differs from the fail-closed defaults. */
export type ToolDef<S, O, P> = {
  readonly name: string;
  readonly description: string | Tool<InputOf<S>, O, P>['description'];
  /** Judges the input. Without it, `inputJSONSchema` does. */
  readonly inputSchema?: S & InputSchema;
  /** What the model gets; needed where `inputSchema` is no Zod schema and cannot export itself. */
  readonly inputJSONSchema?: AnyObject | undefined;
  /** See {@link Tool.call}. */
  call(
    input: InputOf<S>,
    context: ToolUseContext,
    onProgress: (data: P) => void,
  ): Promise<ToolResult<O>> | ToolResult<O>;
} & Partial<
  Omit<Tool<InputOf<S>, O, P>, 'name' | 'inputSchema' | 'inputJSONSchema' | 'description' | 'call'>
>;

/** The tool that `buildTool` makes of a definition. */
export type BuiltTool<D> =
  D extends ToolDef<infer S, infer O, infer P>
    ? Tool<InputOf<S>, O, unknown extends P ? ToolProgressData : P>
    : never;
