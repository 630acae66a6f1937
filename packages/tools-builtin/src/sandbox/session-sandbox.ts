import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { isBelow, type Effects } from '@toolgate/core';
import { isExcluded } from './is-excluded.ts';
import type { SandboxConfig } from './sandbox-config.ts';
import type { Program, SandboxDriver, SandboxedProgram } from './sandbox-driver.ts';

/** What is asked about a command. */
export interface SandboxedCall {
  /** `Bash` or `REPL`. */
  readonly tool: string;
  readonly effects: Pick<Effects, 'units'>;
  /** The call asks to run outside, and a person said yes. */
  readonly disabled: boolean;
}

/** Where a command runs: in a driver, or outside, and why. */
export type Place =
  | { readonly driver: SandboxDriver }
  | { readonly driver: undefined; readonly why: string };

/** What writing inside a working folder would change what runs later; kept as it is, where it exists. */
const kept = [
  '.git/hooks',
  '.git/config',
  '.git/info',
  '.gitmodules',
  '.claude',
  '.toolgate',
  '.mcp.json',
  '.vscode',
  '.idea',
  '.husky',
  '.envrc',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.pre-commit-config.yaml',
  '.devcontainer',
  '.bashrc',
  '.bash_profile',
  '.profile',
  '.zshrc',
];

/** The sandbox of one session: its driver is probed once, and what is in force is what counts. */
export class SessionSandbox {
  readonly #config: () => SandboxConfig;
  readonly #driverFor: (config: SandboxConfig) => SandboxDriver;
  #probed: { readonly driver: SandboxDriver; readonly problem: string | undefined } | undefined;

  constructor(config: () => SandboxConfig, driverFor: (config: SandboxConfig) => SandboxDriver) {
    this.#config = config;
    this.#driverFor = driverFor;
  }

  get config(): SandboxConfig {
    return this.#config();
  }

  /** Why no sandbox can be had on this machine; undefined when one can. */
  problem(): string | undefined {
    return this.#probe().problem;
  }

  driverName(): string {
    return this.#probe().driver.name;
  }

  /**
   * Where a command runs; undefined when no sandbox was asked for.
   *
   * @throws Error in one sentence when it has to run inside and cannot.
   */
  place({ tool, effects, disabled }: SandboxedCall): Place | undefined {
    const config = this.#config();
    if (!config.enabled) return undefined;
    if (disabled && config.allowUnsandboxed)
      return { driver: undefined, why: 'the call asked for it' };
    if (isExcluded(effects.units, tool, config.excluded))
      return { driver: undefined, why: 'the command is excluded' };
    const { driver, problem } = this.#probe();
    if (problem === undefined) return { driver };
    if (config.required)
      throw new Error(`Commands must run in a sandbox here, and none can be had. ${problem}`);
    return { driver: undefined, why: problem };
  }

  /** What to start in place of a program. `own` is written by the program and belongs to nobody else. */
  wrap(
    driver: SandboxDriver,
    program: Program,
    folders: { readonly directories: readonly string[]; readonly own: readonly string[] },
  ): SandboxedProgram | Promise<SandboxedProgram> {
    const { allowWrite, denyWrite, denyRead } = this.#config();
    const [base = '/'] = folders.directories;
    const absolute = (path: string) => resolve(base, path.replace(/^~(?=\/|$)/, homedir()));
    const wanted = [...folders.directories, ...allowWrite.map(absolute)].filter(existsSync);
    // A folder inside another could be swapped for a link by what ran before; the outer one has it anyway.
    const writable = wanted.filter(
      (folder) => !wanted.some((other) => other !== folder && isBelow(folder, other)),
    );
    return driver.wrap({
      program,
      writable: [...writable, ...folders.own],
      readOnly: [
        ...wanted.flatMap((folder) => kept.map((name) => join(folder, name))),
        ...denyWrite.map(absolute),
      ].filter(existsSync),
      hidden: denyRead.map(absolute),
    });
  }

  async close(): Promise<void> {
    await this.#probed?.driver.close?.();
  }

  #probe() {
    if (!this.#probed) {
      const driver = this.#driverFor(this.#config());
      this.#probed = { driver, problem: driver.probe() };
    }
    return this.#probed;
  }
}

/**
 * The sandboxes of the sessions of this process, by session: how the ready-made tools, which are the same
 * objects in every gate, find that of the gate they run in.
 */
export const sessionSandboxes = new Map<string, SessionSandbox>();
