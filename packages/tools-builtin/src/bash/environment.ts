import { isAbsolute, delimiter } from 'node:path';

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

/**
 * The environment of a command.
 *
 * @param keepsPath  Which absolute PATH entries stay; empty and relative ones never do.
 * @param extra      Set by the embedder, last and unchecked.
 */
export function commandEnvironment(options: {
  readonly from: NodeJS.ProcessEnv;
  readonly keepsPath: (folder: string) => boolean;
  readonly extra?: Readonly<Record<string, string>>;
}): Record<string, string> {
  const { from, keepsPath, extra } = options;
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(from))
    if (value !== undefined && (inherited.includes(name) || /^LC_[A-Z]+$/.test(name)))
      environment[name] = value;
  const folders = (from['PATH'] ?? '/usr/local/bin:/usr/bin:/bin').split(delimiter);
  environment['PATH'] = folders.filter((path) => isAbsolute(path) && keepsPath(path)).join(':');
  return { ...environment, ...extra, TOOLGATE: '1' };
}
