import type { Strength } from './opinion.ts';

/** Device and inode of the nearest existing folder above a path, taken when the path was judged. */
export interface FolderIdentity {
  readonly device: number;
  readonly inode: number;
}

/** A path that a command names: what it does there, and whether all that lies below is meant. */
export interface TouchedPath {
  readonly how: 'Read' | 'Edit';
  readonly path: string;
  readonly realPath: string;
  readonly open?: boolean;
}

/**
 * One thing a call would do and must be permitted to do. A call is allowed when every unit is.
 * Path units (`tool` is `Read` or `Edit`) carry `path` and `realPath`, both absolute.
 */
export interface PermissionUnit {
  /** The tool whose rules judge this unit: `Bash`, `Read`, `Edit`, or the called tool's own name. */
  readonly tool: string;
  /** True when the unit only reads; a trusted tool may then allow it by itself. */
  readonly readOnly: boolean;
  /** What a rule's content is compared with: a command in its strict form, `domain:host`, an agent type. */
  readonly content?: string;
  /** The text as the model wrote it; an exact rule may name it instead of `content`. */
  readonly exact?: string;
  /** `content` without the quotes that change nothing (`"git" 'push'`); allow rules read either. */
  readonly unquoted?: string;
  /** Further forms that deny and ask rules must read too: behind wrappers, paths, nested scripts. */
  readonly readings?: readonly string[];
  /** Which allow rules may cover the unit: any, only an exact or bare one, or none. Default `pattern`. */
  readonly allowBy?: 'pattern' | 'exact' | 'none';
  /** The text did not parse: deny and ask rules also look for their words in `exact`. */
  readonly unparsed?: boolean;
  readonly path?: string;
  readonly realPath?: string;
  readonly folder?: FolderIdentity;
  /** The paths are not known one by one: a glob, recursion, or unknown operands below `path`. */
  readonly open?: boolean;
  /** The tool itself leaves out what a Read deny covers below `path`, so that `open` need not ask. Set by core. */
  readonly filtered?: boolean;
  /** A command known to write exactly these paths and nothing else (`touch a`); mode acceptEdits reads it. */
  readonly writes?: readonly { readonly path: string; readonly realPath: string }[];
  /** Paths that a command names and reads or writes, beside others perhaps; deny and ask rules and floors look at them. */
  readonly touches?: readonly TouchedPath[];
  /** The call's own action rather than a side effect of it. Set by core. */
  readonly own?: boolean;
}

/** Something a person should see before answering. With `asks` it is a floor: the call asks at that strength. */
export interface Warning {
  readonly code: string;
  readonly message: string;
  readonly asks?: Strength;
}

/** What a call would do; read alike by scheduler, rules, sandbox, dialog and telemetry. Frozen. */
export interface Effects {
  readonly units: readonly PermissionUnit[];
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly concurrencySafe: boolean;
  readonly warnings: readonly Warning[];
  /** Rules that would allow this call and little else; each matches the call it came from. */
  readonly suggestedRules: readonly string[];
  /** Checks that must hold where the call runs, such as `git-context`; judged again just before it runs. */
  readonly needs: readonly string[];
}

/** What an effects function may know beside the input. Every path it returns is absolute and normalised. */
export interface EffectsFacts {
  /** The call's pinned working directory. */
  readonly cwd: string;
  readonly home: string;
  /** The working directories: the start folder and those added to it. */
  readonly directories: readonly string[];
  /** Expands `~` and relative spellings and removes `..`; does not follow links. */
  resolve(path: string, from?: string): string;
  /** Follows links in the longest existing part of an absolute path. */
  realPath(path: string): string;
  /** True when `need` (see {@link Effects.needs}) is known to hold in `folder`. */
  holds(need: string, folder: string): boolean;
  /** True when an absolute path and what it links to both lie in the working directories. */
  isInside(path: string): boolean;
  /** A finished Read or Edit unit for a path as the model wrote it. */
  pathUnit(
    tool: 'Read' | 'Edit',
    path: string,
    options?: { readonly open?: boolean; readonly from?: string },
  ): PermissionUnit;
}

/** A tool owner's view of one input. Missing fields come from the tool's own predicates. */
export type EffectsAnswer = Partial<Effects>;
