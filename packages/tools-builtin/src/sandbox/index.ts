export { bubblewrap, type BubblewrapOptions } from './bubblewrap.ts';
export type { SandboxConfig, SandboxOverrides } from './sandbox-config.ts';
export type { Program, SandboxDriver, SandboxedProgram, SandboxRequest } from './sandbox-driver.ts';
export { sandbox, type SandboxOptions } from './sandbox-plugin.ts';
export { sandboxRuntime } from './sandbox-runtime.ts';
