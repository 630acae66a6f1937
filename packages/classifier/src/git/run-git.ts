import { execFileSync } from 'node:child_process';

/** How long git may take to answer, in milliseconds; slower is as good as unknown. */
const limitMs = 1_000;

/**
 * Runs a git command that starts nothing else, with nothing of this process's environment but where the
 * person's own settings are.
 *
 * @throws when git is missing, fails, is slow or prints more than 64 MiB.
 */
export const runGit = (folder: string, args: readonly string[]): string =>
  execFileSync(
    'git',
    ['-c', 'safe.bareRepository=explicit', '-c', 'core.fsmonitor=false', ...args],
    {
      cwd: folder,
      encoding: 'utf8',
      timeout: limitMs,
      maxBuffer: 64 * 1_024 * 1_024,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: {
        PATH: '/usr/local/bin:/usr/bin:/bin',
        HOME: process.env['HOME'] ?? '/',
        ...(process.env['XDG_CONFIG_HOME'] && { XDG_CONFIG_HOME: process.env['XDG_CONFIG_HOME'] }),
        LC_ALL: 'C',
        GIT_OPTIONAL_LOCKS: '0',
        GIT_TERMINAL_PROMPT: '0',
      },
    },
  );
