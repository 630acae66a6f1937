import { isAbsolute, resolve } from 'node:path';
import { ToolgateError } from './errors.ts';
import { frozenJson } from './json.ts';
import { checkKeys, didYouMean } from './nearest.ts';
import { isOfSession, ruleText, type PermissionUpdate } from './permission-update.ts';
import {
  emptySnapshot,
  isManagedOnly,
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
  /** @throws ToolgateError `TG_OPTION_INVALID` for an unknown mode, one that no plugin gives a meaning to, or one that settings switch off. */
  setMode(mode: PermissionMode): void;
  /** Adds rules until the answer is disposed. They count from the next call on. */
  addRules(source: 'cliArg' | 'command' | 'session', rules: RuleTexts): Disposable;
  /** Adds working directories, absolute, until the answer is disposed. */
  addDirectories(directories: readonly string[]): Disposable;
  /**
   * Applies an update to what the embedder added: rules, mode, directories. It never reaches what settings
   * files say.
   *
   * @throws ToolgateError `TG_OPTION_INVALID` for a destination other than `session` and `cliArg`, an unknown mode, a relative directory.
   */
  update(update: PermissionUpdate): void;
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
  #canBypass = false;
  #added: readonly RuleEntry[] = [];
  #directories: readonly { readonly path: string }[] = [];
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

  /** Writes an update to a settings file; undefined where the settings cannot be written. */
  get save(): ((update: PermissionUpdate) => Promise<void>) | undefined {
    const source = this.#source;
    return source?.save && ((update) => source.save?.(update) ?? Promise.resolve());
  }

  get mode(): PermissionMode {
    return this.#allowed(this.fromSource());
  }

  /** True once this session was in mode bypass by its settings or its embedder. */
  get canBypass(): boolean {
    return this.#canBypass;
  }

  /** The mode that was set, unless settings have switched it off since; then `default`. */
  #allowed({ mode, switchedOff = [] }: SettingsSnapshot): PermissionMode {
    const wanted = this.#mode ?? mode;
    return switchedOff.includes(wanted) ? 'default' : wanted;
  }

  setMode(mode: PermissionMode): void {
    this.check(mode);
    if (this.fromSource().switchedOff?.includes(mode))
      throw new ToolgateError('TG_OPTION_INVALID', `mode ${mode} is switched off by settings.`);
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
    this.#canBypass ||= mode === 'bypassPermissions';
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

  addDirectories(directories: readonly string[]): Disposable {
    const relative = directories.find((directory) => !isAbsolute(directory));
    if (relative !== undefined)
      throw new ToolgateError(
        'TG_OPTION_INVALID',
        `"${relative}" is no absolute path, so it cannot be a working directory.`,
      );
    // An owner may take back its own and nobody else's, so each is an object of its own.
    const added = directories.map((path) => ({ path: resolve(path) }));
    this.#setDirectories([...this.#directories, ...added]);
    return {
      [Symbol.dispose]: () =>
        this.#setDirectories(this.#directories.filter((item) => !added.includes(item))),
    };
  }

  update(update: PermissionUpdate): void {
    const { destination } = update;
    if (!isOfSession(destination))
      throw new ToolgateError(
        'TG_OPTION_INVALID',
        `update changes session and cliArg, not "${String(destination)}".`,
      );
    if (update.type === 'setMode') return this.setMode(update.mode);
    if ('directories' in update) {
      if (update.type === 'addDirectories') return void this.addDirectories(update.directories);
      const gone = new Set(update.directories.map((path) => resolve(path)));
      return this.#setDirectories(this.#directories.filter(({ path }) => !gone.has(path)));
    }
    const { type, behavior } = update;
    const texts = update.rules.map(ruleText);
    if (type !== 'addRules')
      this.#change(
        this.#added.filter(
          (rule) =>
            rule.behavior !== behavior ||
            rule.source !== destination ||
            (type === 'removeRules' && !texts.includes(rule.text)),
        ),
      );
    if (type !== 'removeRules') this.addRules(destination, { [behavior]: texts });
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
    // Managed policy may have come since: it binds what was added before, too.
    const added = isManagedOnly(from)
      ? this.#added.filter(({ behavior }) => behavior !== 'allow')
      : this.#added;
    return Object.freeze({
      ...from,
      mode: this.#allowed(from),
      rules: Object.freeze([...from.rules, ...added]),
      directories: Object.freeze([
        ...from.directories,
        ...this.#directories.map(({ path }) => path),
      ]),
    });
  }

  #setDirectories(directories: readonly { readonly path: string }[]): void {
    this.#directories = directories;
    this.#merged = undefined;
  }

  #change(added: readonly RuleEntry[]): void {
    this.#added = added;
    this.#merged = undefined;
  }
}
