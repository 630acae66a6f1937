/** A program with its arguments. */
export type Program = readonly [string, ...(readonly string[])];

/** What is to run, and what it may touch. */
export interface SandboxRequest {
  readonly program: Program;
  /** Folders it may write in; absolute real paths. Everything else can be read only. */
  readonly writable: readonly string[];
  /** Files and folders inside those that stay as they are. */
  readonly readOnly: readonly string[];
  /** Files and folders it cannot read. */
  readonly hidden: readonly string[];
}

/** What to start in its place. */
export interface SandboxedProgram {
  readonly program: Program;
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Bytes it reads from descriptor 3. */
  readonly descriptor3?: Uint8Array;
}

/** A way to keep a program within bounds: bubblewrap, sandbox-runtime, or one of your own. */
export interface SandboxDriver {
  /** Shown in results and traces. */
  readonly name: string;
  /** Why it cannot be used on this machine, in a sentence; undefined when it can. Asked once, synchronous. */
  probe(): string | undefined;
  /** What to start in place of a program. A throw, or a rejection, fails the call. */
  wrap(request: SandboxRequest): SandboxedProgram | Promise<SandboxedProgram>;
  /** Lets go of what it holds, when the gate closes. */
  close?(): Promise<void>;
}
