import { ToolgateError } from './errors.ts';
import { checkKeys } from './nearest.ts';

/** What an option must be: a kind of value, said in words, and the test for it. */
interface Kind {
  readonly words: string;
  readonly fits: (value: unknown) => boolean;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const has = (value: unknown, ...methods: readonly string[]): boolean =>
  isObject(value) && methods.every((name) => typeof Reflect.get(value, name) === 'function');

const aFunction: Kind = { words: 'a function', fits: (value) => typeof value === 'function' };
const aText: Kind = { words: 'a text', fits: (value) => typeof value === 'string' };
const aDuration: Kind = {
  words: 'a number of milliseconds',
  fits: (value) => typeof value === 'number' && value >= 0,
};
const objectWith = (words: string, ...methods: readonly string[]): Kind => ({
  words,
  fits: (value) => has(value, ...methods),
});
const listOf = (words: string, ...methods: readonly string[]): Kind => ({
  words: `a list of ${words}`,
  fits: (value) => Array.isArray(value) && value.every((item) => has(item, ...methods)),
});

const kinds: Readonly<Record<string, Kind>> = {
  tools: listOf('tools, each made by buildTool', 'call', 'checkPermissions'),
  plugins: listOf('plugins, each made by what definePlugin answers', 'setup'),
  trust: listOf('tools, each made by buildTool', 'call', 'checkPermissions'),
  permissions: aFunction,
  results: aFunction,
  dialog: aFunction,
  matcher: aFunction,
  model: objectWith('a model of an AI SDK provider, with doGenerate()', 'doGenerate'),
  executor: aFunction,
  onDiagnostic: aFunction,
  settings: objectWith('a settings source with current()', 'current'),
  mcp: objectWith('an object with call()', 'call'),
  ledger: objectWith('a ledger', 'claim', 'complete', 'forget'),
  store: objectWith('a result store', 'store', 'owns'),
  facts: objectWith('path facts', 'realPath', 'folderIdentity', 'holds'),
  clock: objectWith('a clock', 'now', 'after'),
  cwd: aText,
  sessionId: aText,
  siblings: {
    words: '"independent" or "cancel"',
    fits: (value) => value === 'independent' || value === 'cancel',
  },
  retry: {
    words: 'an object with attempts, at least 1, and perhaps backoffMs',
    fits: (value) =>
      isObject(value) &&
      Number.isInteger(Reflect.get(value, 'attempts')) &&
      Number(Reflect.get(value, 'attempts')) >= 1 &&
      aDuration.fits(Reflect.get(value, 'backoffMs') ?? 0) &&
      Object.keys(value).every((key) => key === 'attempts' || key === 'backoffMs'),
  },
  graceMs: aDuration,
  classifierWaitMs: aDuration,
  hookAllow: {
    words: 'an object such as { absolute: ["name-of-a-hook"] }',
    fits: (value) =>
      isObject(value) &&
      Object.keys(value).join() === 'absolute' &&
      Array.isArray(Reflect.get(value, 'absolute')) &&
      Object.values(Reflect.get(value, 'absolute') as object).every(aText.fits), // a list, as just seen
  },
  maxTurnResultChars: {
    words: 'a number of characters',
    fits: (value) => typeof value === 'number' && value >= 0,
  },
  limitsMs: {
    words: 'an object of numbers of milliseconds',
    fits: (value) => isObject(value) && Object.values(value).every(aDuration.fits),
  },
};

/**
 * Refuses options that a compiler would have refused.
 *
 * @throws ToolgateError `TG_OPTION_INVALID`, naming the option and what it must be.
 */
export function checkOptions(options: unknown): void {
  if (!isObject(options))
    throw new ToolgateError('TG_OPTION_INVALID', 'createToolgate takes one object of options.');
  checkKeys(options, Object.keys(kinds), 'createToolgate', 'TG_OPTION_INVALID');
  for (const [name, { words, fits }] of Object.entries(kinds)) {
    const value: unknown = Reflect.get(options, name);
    if (value !== undefined && !fits(value))
      throw new ToolgateError('TG_OPTION_INVALID', `option ${name} must be ${words}.`);
  }
}
