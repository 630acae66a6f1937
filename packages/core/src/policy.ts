import { isAbsolute, resolve } from 'node:path';
import { ToolgateError } from './errors.ts';
import { frozenJson } from './json.ts';
import { checkKeys, didYouMean } from './nearest.ts';
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
  /** Settings and added rules as they are now. Frozen. */
  snapshot(): SettingsSnapshot;
}

/** The sources that are the embedder's own. */
const ownSources: readonly string[] = ['cliArg', 'command', 'session'];

/** Settings from files, and what the embedder added while running. */
export class Policy implements PolicyHandle {
  readonly #source: SettingsSource | undefined;
  readonly #startFolder: string;
  readonly #knowsModes: () => boolean;
  readonly #onRules: (rules: readonly RuleEntry[]) => void;
  #mode: PermissionMode | undefined;
  #added: readonly RuleEntry[] = [];
  #directories: readonly string[] = [];
  #read: { readonly given: SettingsSnapshot; readonly snapshot: SettingsSnapshot } | undefined;
  #merged:
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
    /** Hears of rules that were added, to say what is wrong with them. */
    readonly onRules: (rules: readonly RuleEntry[]) => void;
  }) {
    this.#source = options.source;
    this.#startFolder = options.startFolder;
    this.#knowsModes = options.knowsModes;
    this.#onRules = options.onRules;
  }

  get mode(): PermissionMode {
    return this.#mode ?? this.fromSource().mode;
  }

  setMode(mode: PermissionMode): void {
    this.check(mode);
    this.#mode = mode;
    this.#merged = undefined;
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
    checkKeys(rules, ['deny', 'ask', 'allow'], 'addRules', 'TG_OPTION_INVALID');
    if (!ownSources.includes(source))
      throw new ToolgateError(
        'TG_OPTION_INVALID',
        `addRules adds to ${ownSources.join(', ')}, not to "${source}".`,
      );
    const entries = (['deny', 'ask', 'allow'] as const).flatMap((behavior) =>
      (rules[behavior] ?? []).map((text): RuleEntry =>
        Object.freeze({ behavior, text, source, root: this.#startFolder }),
      ),
    );
    this.#change([...this.#added, ...entries]);
    this.#onRules(entries);
    return {
      [Symbol.dispose]: () => this.#change(this.#added.filter((rule) => !entries.includes(rule))),
    };
  }

  addDirectories(directories: readonly string[]): void {
    const relative = directories.find((directory) => !isAbsolute(directory));
    if (relative !== undefined)
      throw new ToolgateError(
        'TG_OPTION_INVALID',
        `"${relative}" is no absolute path, so it cannot be a working directory.`,
      );
    this.#directories = [...this.#directories, ...directories.map((path) => resolve(path))];
    this.#merged = undefined;
  }

  /** The working directories, the start folder first. */
  directories(settings: SettingsSnapshot = this.snapshot()): readonly string[] {
    return Object.freeze([this.#startFolder, ...settings.directories]);
  }

  /** What the source says now: a frozen copy, the same one until the source has another. */
  fromSource(): SettingsSnapshot {
    const given = this.#source?.current() ?? emptySnapshot;
    if (this.#read?.given !== given) {
      const json = frozenJson(given);
      const snapshot = 'value' in json ? (json.value as SettingsSnapshot) : given; // a copy of the same
      this.#read = { given, snapshot };
    }
    return this.#read.snapshot;
  }

  snapshot(): SettingsSnapshot {
    return this.inTurn(this.fromSource());
  }

  /**
   * What a call goes by in a turn that began under `first`: what tightened since, and the embedder's own
   * rules on top (security rule 14). The same object while nothing changes.
   */
  inTurn(first: SettingsSnapshot): SettingsSnapshot {
    const newest = this.fromSource();
    if (this.#merged?.first !== first || this.#merged.newest !== newest)
      this.#merged = { first, newest, snapshot: this.#merge(tightened(first, newest)) };
    return this.#merged.snapshot;
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
    this.#merged = undefined;
  }
}
