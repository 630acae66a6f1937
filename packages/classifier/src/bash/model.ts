/**
 * Our own picture of a Bash text. It names no parser, is plain serialisable data, and holds every
 * place where something could run: an unknown construct is a piece or node of its own, never a gap.
 */

/** Something in the text that makes it, or a part of it, unreadable or stateful. */
export interface Problem {
  readonly code:
    | 'refused-character'
    | 'too-long'
    | 'syntax'
    | 'empty'
    | 'extended-glob'
    | 'function'
    | 'background'
    | 'coprocess'
    | 'select';
  readonly message: string;
  /** Offset in the text, in UTF-16 code units. */
  readonly at: number;
}

/** A part of a word before expansion. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string; readonly quoted: boolean }
  /** An unquoted `~` at the start; `user` is empty for the own home folder. */
  | { readonly kind: 'tilde'; readonly user: string }
  | { readonly kind: 'glob'; readonly text: string }
  | { readonly kind: 'brace'; readonly alternatives: readonly (readonly Piece[])[] }
  | {
      readonly kind: 'variable';
      readonly name: string;
      readonly quoted: boolean;
      /** `value`: `$x`; `length`: `${#x}`; `edit`: a cut or change of the value; `default`: `${x:-w}`. */
      readonly form: 'value' | 'length' | 'edit' | 'default';
      /** Words inside the expansion, such as a default or a pattern. */
      readonly words: readonly Word[];
    }
  | { readonly kind: 'command'; readonly script: Script; readonly quoted: boolean }
  | { readonly kind: 'process'; readonly script: Script }
  | { readonly kind: 'arithmetic'; readonly arithmetic: Arithmetic }
  /** Anything else: `${!x}`, `${x@P}`, `${x:=w}`, an extended glob. What it holds is still listed. */
  | {
      readonly kind: 'unknown';
      readonly words: readonly Word[];
      readonly scripts: readonly Script[];
    };

export interface Word {
  /** The source, as written. */
  readonly text: string;
  readonly at: number;
  readonly pieces: readonly Piece[];
}

/** What an arithmetic expression reads (`names`) and sets. `plain` means: numbers, names and operators only. */
export interface Arithmetic {
  readonly plain: boolean;
  readonly names: readonly string[];
  readonly assigns: readonly string[];
  readonly words: readonly Word[];
  readonly scripts: readonly Script[];
}

export interface Assignment {
  readonly text: string;
  readonly at: number;
  readonly name: string;
  /** Absent for arrays, elements and `+=`, whose value is not followed. */
  readonly value?: Word;
  /** Every word in it, for substitutions. */
  readonly words: readonly Word[];
}

export interface Redirect {
  readonly at: number;
  readonly operator: string;
  readonly descriptor: number | undefined;
  /** `{name}>file`: sets a variable. */
  readonly named: boolean;
  readonly target: Word | undefined;
  /** The body of a here-document. */
  readonly body?: {
    readonly text: string;
    readonly pieces: readonly Piece[];
    readonly quoted: boolean;
  };
}

export interface SimpleCommand {
  readonly kind: 'command';
  readonly at: number;
  readonly words: readonly Word[];
  readonly assignments: readonly Assignment[];
  readonly redirects: readonly Redirect[];
}

export interface Test {
  readonly operator: string;
  readonly operands: readonly Word[];
}

/** A node of the command tree. Lists of nodes run one after the other. */
export type Node =
  | SimpleCommand
  | {
      readonly kind: 'and-or';
      readonly parts: readonly Node[];
      readonly operators: readonly string[];
    }
  | { readonly kind: 'pipeline'; readonly parts: readonly Node[] }
  | { readonly kind: 'group' | 'subshell'; readonly body: readonly Node[] }
  | { readonly kind: 'background' | 'coprocess'; readonly body: Node }
  | { readonly kind: 'redirected'; readonly body: Node; readonly redirects: readonly Redirect[] }
  | {
      readonly kind: 'if';
      readonly branches: readonly {
        readonly test: readonly Node[];
        readonly body: readonly Node[];
      }[];
      readonly otherwise: readonly Node[];
    }
  | {
      readonly kind: 'for' | 'select';
      readonly name: string;
      /** Absent: the positional parameters. */
      readonly words: readonly Word[] | undefined;
      readonly body: readonly Node[];
    }
  /** `for ((first; test; next))`. */
  | {
      readonly kind: 'count';
      readonly first: Arithmetic;
      readonly test: Arithmetic;
      readonly next: Arithmetic;
      readonly body: readonly Node[];
    }
  | { readonly kind: 'while'; readonly test: readonly Node[]; readonly body: readonly Node[] }
  | {
      readonly kind: 'case';
      readonly word: Word;
      readonly items: readonly {
        readonly patterns: readonly Word[];
        readonly body: readonly Node[];
      }[];
    }
  | { readonly kind: 'function'; readonly name: string; readonly body: Node }
  | { readonly kind: 'test'; readonly tests: readonly Test[] }
  | { readonly kind: 'arithmetic'; readonly arithmetic: Arithmetic };

export interface Script {
  readonly nodes: readonly Node[];
}

export interface ParsedText {
  readonly text: string;
  readonly script: Script;
  readonly problems: readonly Problem[];
  /** False when the text is no valid Bash; `script` is then whatever was recovered. */
  readonly valid: boolean;
}
