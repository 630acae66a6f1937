import { homedir } from 'node:os';
import { allow, definePlugin, isBelow, type StartedCall } from '@toolgate/core';
import { programPath } from '../bash/program-path.ts';
import { bubblewrap } from './bubblewrap.ts';
import { sandboxConfig, type SandboxConfig, type SandboxOverrides } from './sandbox-config.ts';
import type { SandboxDriver } from './sandbox-driver.ts';
import { sandboxRuntime } from './sandbox-runtime.ts';
import { SessionSandbox, sessionSandboxes, type SandboxedCall } from './session-sandbox.ts';

/** Options of the plugin; what is left out comes from `sandbox` in the settings. */
export interface SandboxOptions extends SandboxOverrides {
  /** In place of bubblewrap, or of sandbox-runtime where hosts are listed. */
  readonly driver?: SandboxDriver;
}

/** The tools that start programs of the model's. */
const sandboxed: readonly string[] = ['Bash', 'REPL'];

const askedFor = ({ tool, effects, input }: StartedCall): SandboxedCall => ({
  tool: tool.name,
  effects,
  disabled: input['dangerouslyDisableSandbox'] === true,
});

/**
 * Runs the commands of Bash and REPL in a sandbox (stage 5). What may skip a question because of the sandbox
 * looks at the driver in force, never at the setting.
 */
export const sandbox = definePlugin<SandboxOptions | void>({
  name: 'sandbox',
  setup(gate, options) {
    const { driver, ...overrides } = options ?? {};
    const session = new SessionSandbox(
      () => sandboxConfig(gate.settings(), overrides),
      (config) => driver ?? driverFor(config, gate.cwd),
    );
    sessionSandboxes.set(gate.sessionId, session);
    gate.onClose(async () => {
      if (sessionSandboxes.get(gate.sessionId) === session) sessionSandboxes.delete(gate.sessionId);
      await session.close();
    });
    const { enabled, required } = session.config;
    const problem = enabled ? session.problem() : undefined;
    if (problem !== undefined)
      gate.diagnostic({
        code: 'sandbox-off',
        severity: required ? 'error' : 'warning',
        message: required
          ? `No command can run: a sandbox is required, and there is none. ${problem}`
          : `Commands run without a sandbox. ${problem}`,
      });
    const inForce = enabled && problem === undefined ? session.driverName() : 'none';
    gate.hooks.opinions.tap('sandbox', (call) => {
      if (!sandboxed.includes(call.tool.name) || !session.config.autoAllow) return undefined;
      return isInside(session, call) ? allowsInside(call) : undefined;
    });
    // A tap that throws is a failure of the call; it never runs elsewhere.
    gate.hooks.execute.tap(`sandbox: ${inForce}`, (call) => {
      if (!sandboxed.includes(call.tool.name) || !session.place(askedFor(call))) return undefined;
      // The tool would ask another one, or none.
      if (sessionSandboxes.get(gate.sessionId) !== session)
        throw new Error('Another gate took over the sandbox of this session, so nothing ran.');
      return undefined;
    });
  },
});

function isInside(session: SessionSandbox, call: StartedCall): boolean {
  try {
    return session.place(askedFor(call))?.driver !== undefined;
  } catch {
    return false;
  }
}

/** The command itself, and what it reads and writes in the working directories; nothing else. */
function allowsInside({ tool, effects, directories }: StartedCall) {
  const covers = effects.units.filter(({ tool: name, realPath }) =>
    realPath === undefined
      ? name === tool.name
      : directories.some((folder) => isBelow(realPath, folder)),
  );
  return allow('It runs in a sandbox.', covers);
}

function driverFor(config: SandboxConfig, cwd: string): SandboxDriver {
  const path = programPath(process.env['PATH'] ?? '', 'bwrap', {
    cwd,
    home: homedir(),
    isInside: (path) => isBelow(path, cwd),
    toolPermissionContext: { mode: 'default', directories: [cwd] },
    effects: { readOnly: true, units: [] },
  });
  return config.hosts.length > 0 ? sandboxRuntime(config) : bubblewrap({ path });
}
