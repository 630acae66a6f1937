/**
 * The only variables that commands inherit (security rule 8). Whatever makes programs run other programs
 * stays out: BASH_ENV, exported functions, LD_*, GIT_*, *_OPTIONS, pagers, CDPATH and the like.
 */
const inherited = [
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TERM',
  'COLORTERM',
  'NO_COLOR',
  'FORCE_COLOR',
  'CI',
  'TMPDIR',
  'TMP',
  'TEMP',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
];

/** No command may wait for an answer that nobody types, or for a pager that nobody reads. */
const quietGit = { GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0' };

/**
 * What keeps a git that only reads from running what the repository names (security rule 9). `diff.external`
 * has no harmless value, filters no switch: against those stands the look at the repository's configuration.
 */
const readOnlyGit = [
  ['core.fsmonitor', 'false'],
  // GIT_OPTIONAL_LOCKS does not keep `git diff` from writing the index, and so from post-index-change.
  ['diff.autoRefreshIndex', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['safe.bareRepository', 'explicit'],
  ['log.showSignature', 'false'],
] as const;

/**
 * The environment of a command.
 *
 * @param programPath  Which folders of a PATH stay.
 * @param extra        Set by the embedder, unchecked but for the PATH and, in read-only commands, git's safety.
 */
export function commandEnvironment(options: {
  readonly from: NodeJS.ProcessEnv;
  readonly readOnly: boolean;
  readonly programPath: (path: string) => string;
  readonly extra?: Readonly<Record<string, string>>;
}): Record<string, string> {
  const { from, readOnly, extra = {} } = options;
  const environment: Record<string, string> = { ...quietGit };
  for (const [name, value] of Object.entries(from))
    if (value !== undefined && (inherited.includes(name) || /^LC_[A-Z]+$/.test(name)))
      environment[name] = value;
  const path = extra['PATH'] ?? from['PATH'] ?? '/usr/local/bin:/usr/bin:/bin';
  return {
    ...environment,
    ...extra,
    PATH: options.programPath(path),
    ...(readOnly && gitThatReads(extra['GIT_CONFIG_COUNT'])),
    TOOLGATE: '1',
  };
}

/** Adds to the settings that the embedder gave git in the same way; the last one counts. */
function gitThatReads(given: string | undefined): Record<string, string> {
  const first = /^\d{1,4}$/.test(given ?? '') ? Number(given) : 0;
  const settings = readOnlyGit.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return {
    ...quietGit,
    GIT_OPTIONAL_LOCKS: '0',
    GIT_CONFIG_COUNT: String(first + readOnlyGit.length),
    ...Object.fromEntries(settings),
  };
}
