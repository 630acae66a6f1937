import { createRequire } from 'node:module';
import { findBash } from '../bash/find-bash.ts';
import type { SandboxConfig } from './sandbox-config.ts';
import type { SandboxDriver, SandboxRequest } from './sandbox-driver.ts';

const packageName = '@anthropic-ai/sandbox-runtime';

/** The part of the package that is used. */
interface Manager {
  initialize(config: object): Promise<void>;
  checkDependencies(ripgrep?: object): { readonly errors: readonly string[] };
  wrapWithSandbox(command: string, shell?: string, config?: object): Promise<string>;
  cleanupAfterCommand?(): void;
  reset(): Promise<void>;
}

/**
 * `@anthropic-ai/sandbox-runtime`, for commands that may reach some hosts: its proxy lets these through and
 * no others. The package is optional and needs bubblewrap and socat on Linux. One process has one such
 * sandbox; folders are given for each command, hosts once.
 */
export function sandboxRuntime({
  hosts,
  deniedHosts,
}: Pick<SandboxConfig, 'hosts' | 'deniedHosts'>): SandboxDriver {
  let ready: Promise<Manager> | undefined;
  const begin = async (): Promise<Manager> => {
    const manager = await load();
    const ripgrep = await searchTool();
    const { errors } = manager.checkDependencies(ripgrep);
    if (errors.length > 0) throw new Error(`${packageName} cannot run here: ${errors.join(', ')}.`);
    await manager.initialize({
      network: { allowedDomains: [...hosts], deniedDomains: [...deniedHosts] },
      filesystem: { denyRead: [], allowWrite: [], denyWrite: [] },
      ...(ripgrep && { ripgrep }),
    });
    return manager;
  };
  return {
    name: 'sandbox-runtime',
    probe() {
      try {
        createRequire(import.meta.url).resolve(packageName);
      } catch (error) {
        // An ES module alone is not found this way, and is there.
        const code = error instanceof Error && 'code' in error ? error.code : undefined;
        if (code === 'MODULE_NOT_FOUND')
          return `Hosts can be filtered only with ${packageName}, which is not installed.`;
      }
      return findBash() === undefined ? 'There is no bash on this machine.' : undefined;
    },
    async wrap({ program, writable, readOnly, hidden }: SandboxRequest) {
      ready ??= begin();
      const manager = await ready;
      const bash = findBash() ?? '/bin/bash';
      const filesystem = {
        denyRead: [...hidden],
        allowWrite: [...writable],
        denyWrite: [...readOnly],
      };
      const command = program.map(quoted).join(' ');
      const wrapped = await manager.wrapWithSandbox(command, bash, {
        filesystem,
        network: { allowedDomains: [...hosts], deniedDomains: [...deniedHosts] },
      });
      return { program: [bash, '-p', '-c', wrapped] };
    },
    async close() {
      const manager = await ready?.catch(() => undefined);
      await manager?.reset();
    },
  };
}

/** The packaged ripgrep, by which it looks for files to protect; undefined: the one on the PATH. */
async function searchTool(): Promise<{ readonly command: string } | undefined> {
  try {
    return { command: (await import('@vscode/ripgrep')).rgPath };
  } catch {
    return undefined;
  }
}

async function load(): Promise<Manager> {
  // Its types are not needed to build: the package is optional.
  const name: string = packageName;
  const { SandboxManager } = (await import(name)) as { readonly SandboxManager: Manager };
  return SandboxManager;
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
