import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { SandboxDriver, SandboxedProgram, SandboxRequest } from './sandbox-driver.ts';
import { seccompFilter } from './seccomp-filter.ts';

/** Options of {@link bubblewrap}. */
export interface BubblewrapOptions {
  /** Folders in which `bwrap` is looked for: the system's, never a project's. Joined by the path separator. */
  readonly path: string;
}

const probeMs = 5_000;

/**
 * Bubblewrap: the system can be read only, the given folders be written, `/tmp` and `/run` are empty, there is
 * no network, no Unix socket, no capability, and the processes are alone in a namespace of their own, which
 * ends with them.
 */
export function bubblewrap({ path }: BubblewrapOptions): SandboxDriver {
  const program = path
    .split(delimiter)
    .map((folder) => join(folder, 'bwrap'))
    .find((file) => statSync(file, { throwIfNoEntry: false })?.isFile());
  return {
    name: 'bubblewrap',
    probe() {
      if (process.platform !== 'linux') return 'bubblewrap is for Linux.';
      if (program === undefined) return 'bwrap is not installed (apt install bubblewrap).';
      const [file, ...args] = [program, ...baseArgs(), '--', '/bin/sh', '-c', 'true'];
      const { status, stderr, error } = spawnSync(file, args, {
        timeout: probeMs,
        encoding: 'utf8',
        env: {},
      });
      if (status === 0) return undefined;
      const why = error?.message ?? stderr.trim().split('\n')[0] ?? '';
      return `bwrap cannot make a sandbox on this machine: ${why || `exit code ${status}`}.`;
    },
    wrap: (request) => wrapped(program ?? 'bwrap', request),
  };
}

function baseArgs(): readonly string[] {
  // Root would stay root inside; the number of nobody is what it is mapped to there.
  const nobody = process.getuid?.() === 0 ? ['--uid', '65534', '--gid', '65534'] : [];
  return [
    '--unshare-all',
    '--unshare-user',
    ...nobody,
    '--cap-drop',
    'ALL',
    '--die-with-parent',
    '--new-session',
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    '--tmpfs',
    '/tmp',
    '--tmpfs',
    '/run',
  ];
}

function wrapped(bwrap: string, request: SandboxRequest): SandboxedProgram {
  const { writable, readOnly, hidden } = request;
  const filter = seccompFilter();
  return {
    program: [
      bwrap,
      ...baseArgs(),
      ...[...writable].sort().flatMap((folder) => ['--bind', folder, folder]),
      ...readOnly.flatMap((path) => ['--ro-bind-try', path, path]),
      ...hidden.flatMap(hide),
      ...(filter === undefined ? [] : ['--seccomp', '3']),
      '--',
      ...request.program,
    ],
    env: { TMPDIR: '/tmp' },
    ...(filter && { descriptor3: filter }),
  };
}

function hide(path: string): readonly string[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return [];
  return stats.isDirectory() ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path];
}
