import { ToolgateError } from './errors.ts';
import { didYouMean } from './nearest.ts';
import {
  emptySnapshot,
  permissionModes,
  tightened,
  type PermissionMode,
  type RuleEntry,
  type SettingsSnapshot,
  type SettingsSource,
} from './settings-snapshot.ts';
import type { Behavior } from './opinion.ts';

/** Rules as texts, by what they say. */
export type RuleTexts = Readonly<Partial<Record<Behavior, readonly string[]>>>;

/** The embedder's handle on what is permitted; never in a tool's reach. */
export interface PolicyHandle {
  readonly mode: PermissionMode;
  /** @throws ToolgateError `TG_OPTION_INVALID` for an unknown mode, or one that no plugin gives a meaning to. */
  setMode(mode: PermissionMode): void;
  /** Adds rules until the answer is disposed. They count from the next call on. */
  addRules(source: 'cliArg' | 'command' | 'session', rules: RuleTexts): Disposable;
  /** Adds working directories, absolute. */
  addDirectories(directories: readonly string[]): void;
  snapshot(): SettingsSnapshot;
}

/** Settings from files, and what the embedder added while running. */
export class Policy implements PolicyHandle {
  readonly #source: SettingsSource | undefined;
  readonly #startFolder: string;
  readonly #knowsModes: () => boolean;
  #mode: PermissionMode | undefined;
  #added: readonly RuleEntry[] = [];
  #directories: readonly string[] = [];
  #cache: { readonly from: SettingsSnapshot; readonly snapshot: SettingsSnapshot } | undefined;
  #turnCache:
    | {
        readonly first: SettingsSnapshot;
        readonly newest: SettingsSnapshot;
        readonly snapshot: SettingsSnapshot;
      }
    | undefined;

  constructor(options: {
    readonly source: SettingsSource | undefined;
    readonly startFolder: string;
    readonly knowsModes: () => boolean;
  }) {
    this.#source = options.source;
    this.#startFolder = options.startFolder;
    this.#knowsModes = options.knowsModes;
  }

  get mode(): PermissionMode {
    return this.#mode ?? this.fromSource().mode;
  }

  setMode(mode: PermissionMode): void {
    this.check(mode);
    this.#mode = mode;
    this.#cache = undefined;
    this.#turnCache = undefined;
  }

  /** A mode without a plugin that gives it a meaning would be ignored in silence. */
  check(mode: PermissionMode = this.mode): void {
    if (!permissionModes.includes(mode))
      throw new ToolgateError(
        'TG_OPTION_INVALID',
        `"${String(mode)}" is no permission mode.${didYouMean(String(mode), permissionModes)} The modes are ${permissionModes.join(', ')}.`,
      );
    if (mode !== 'default' && !this.#knowsModes())
      throw new ToolgateError(
        'TG_OPTION_INVALID',
        `mode ${mode} needs a plugin that knows modes, such as modes() of @toolgate/permissions.`,
      );
  }

  addRules(source: 'cliArg' | 'command' | 'session', rules: RuleTexts): Disposable {
    const entries = (['deny', 'ask', 'allow'] as const).flatMap((behavior) =>
      (rules[behavior] ?? []).map((text): RuleEntry =>
        Object.freeze({ behavior, text, source, root: this.#startFolder }),
      ),
    );
    this.#change([...this.#added, ...entries]);
    return {
      [Symbol.dispose]: () => this.#change(this.#added.filter((rule) => !entries.includes(rule))),
    };
  }

  addDirectories(directories: readonly string[]): void {
    this.#directories = [...this.#directories, ...directories];
    this.#cache = undefined;
    this.#turnCache = undefined;
  }

  /** The working directories, the start folder first. */
  directories(): readonly string[] {
    return [this.#startFolder, ...this.snapshot().directories];
  }

  fromSource(): SettingsSnapshot {
    return this.#source?.current() ?? emptySnapshot;
  }

  snapshot(): SettingsSnapshot {
    const from = this.fromSource();
    if (this.#cache?.from !== from) this.#cache = { from, snapshot: this.#merge(from) };
    return this.#cache.snapshot;
  }

  /** What a call goes by in a turn that began under `first`; the same object while nothing changes. */
  inTurn(first: SettingsSnapshot): SettingsSnapshot {
    const newest = this.fromSource();
    if (first === newest) return this.snapshot();
    if (this.#turnCache?.first !== first || this.#turnCache.newest !== newest)
      this.#turnCache = { first, newest, snapshot: this.#merge(tightened(first, newest)) };
    return this.#turnCache.snapshot;
  }

  #merge(from: SettingsSnapshot): SettingsSnapshot {
    return Object.freeze({
      ...from,
      mode: this.#mode ?? from.mode,
      rules: Object.freeze([...from.rules, ...this.#added]),
      directories: Object.freeze([...from.directories, ...this.#directories]),
    });
  }

  #change(added: readonly RuleEntry[]): void {
    this.#added = added;
    this.#cache = undefined;
    this.#turnCache = undefined;
  }
}
