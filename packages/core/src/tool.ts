import type { z } from 'zod';
import type { ToolUseContext } from './context.ts';
import type { EffectsAnswer, EffectsFacts } from './effects.ts';
import type { ContentBlock } from './messages.ts';
import type { Opinion } from './opinion.ts';
import type { PermissionMode } from './settings-snapshot.ts';
import type { View } from './view.ts';

export type AnyObject = Readonly<Record<string, unknown>>;
/** What a running tool reports; any JSON object. */
export type ToolProgressData = AnyObject;

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

export interface DescriptionOptions {
  readonly isNonInteractiveSession: boolean;
  readonly toolPermissionContext: {
    readonly mode: PermissionMode;
    readonly directories: readonly string[];
  };
  readonly tools: Tools;
}

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

/** A tool with every default filled in. Predicates are functions of the input: one tool can be read-only for `ls` and not for `rm`. */
export interface Tool<I = AnyObject, O = unknown, P = ToolProgressData> {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly deprecatedAliases: readonly string[];
  readonly searchHint: string;
  readonly shouldDefer: boolean;
  readonly alwaysLoad: boolean;
  readonly inputSchema: z.ZodType;
  readonly outputSchema: z.ZodType | undefined;
  readonly pathFields: PathFields;
  /** Milliseconds; `Infinity` when the tool bounds itself. */
  readonly timeoutMs: number;
  /** UTF-16 code units of text the model may get; `Infinity` when the tool bounds itself. */
  readonly maxResultSizeChars: number;
  isEnabled(): boolean;
  description(input: Partial<I> | undefined, options: DescriptionOptions): string | Promise<string>;
  /** The text the model reads beside the schema. Default: the description. */
  prompt(options: DescriptionOptions): string | Promise<string>;
  effects(input: I, facts: EffectsFacts): EffectsAnswer;
  validateInput(input: I, context: ToolUseContext): ValidationResult | Promise<ValidationResult>;
  checkPermissions(input: I, context: ToolUseContext): PermissionResult | Promise<PermissionResult>;
  /** Adds derived fields for observers; what it changes otherwise is dropped. Gets a clone. */
  backfillObservableInput(
    input: AnyObject,
    context: { readonly cwd: string; readonly home: string },
  ): AnyObject;
  toAutoClassifierInput(input: I): string;
  isReadOnly(input: I): boolean;
  isConcurrencySafe(input: I): boolean;
  isDestructive(input: I): boolean;
  isIdempotent(input: I): boolean;
  interruptBehavior(): 'block' | 'cancel';
  call(
    input: I,
    context: ToolUseContext,
    onProgress: (data: P) => void,
  ): Promise<ToolResult<O>> | ToolResult<O>;
  mapToolResultToToolResultBlockParam(data: O, toolUseId: string): MappedResult;
  userFacingName(input: Partial<I> | undefined): string;
  getActivityDescription(input: I): string;
  renderToolUseMessage(input: I): View;
  renderToolResultMessage(data: O): View;
  renderToolUseProgressMessage(data: P): View;
  renderToolUseRejectedMessage(input: I): View;
  renderToolUseErrorMessage(message: string): View;
  renderGroupedToolUse(inputs: readonly I[]): View | undefined;
}

export type AnyTool = Tool;
export type Tools = readonly AnyTool[];

type Optional =
  | 'aliases'
  | 'deprecatedAliases'
  | 'searchHint'
  | 'shouldDefer'
  | 'alwaysLoad'
  | 'outputSchema'
  | 'pathFields'
  | 'timeoutMs'
  | 'maxResultSizeChars';
type Methods = Exclude<keyof Tool, Optional | 'name' | 'inputSchema' | 'description' | 'call'>;

/** What a tool author writes: a name, a description, a schema, `call`, and whatever differs from the fail-closed defaults. */
export type ToolDef<S extends z.ZodType, O, P> = {
  readonly name: string;
  readonly description: string | Tool<z.output<S>, O, P>['description'];
  readonly inputSchema: S;
  call(
    input: z.output<S>,
    context: ToolUseContext,
    onProgress: (data: P) => void,
  ): Promise<ToolResult<O>> | ToolResult<O>;
} & Partial<Pick<Tool<z.output<S>, O, P>, Optional | Methods>>;

/** The tool that `buildTool` makes of a definition. */
export type BuiltTool<D> =
  D extends ToolDef<infer S, infer O, infer P> ? Tool<z.output<S>, O, P> : never;
