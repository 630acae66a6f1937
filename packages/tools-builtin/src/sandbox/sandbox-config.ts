import type { SettingsSnapshot } from '@toolgate/core';
import { z } from 'zod';

const list = z.array(z.string()).catch([]);
const flag = z.boolean().optional().catch(undefined);
/** The `sandbox` of a settings file; what cannot be read of it counts as absent. */
const settings = z
  .object({
    enabled: flag,
    failIfUnavailable: flag,
    autoAllowBashIfSandboxed: flag,
    allowUnsandboxedCommands: flag,
    excludedCommands: list.optional(),
    filesystem: z
      .object({
        allowWrite: list.optional(),
        denyWrite: list.optional(),
        denyRead: list.optional(),
      })
      .optional()
      .catch(undefined),
    network: z
      .object({ allowedDomains: list.optional(), deniedDomains: list.optional() })
      .optional()
      .catch(undefined),
  })
  .catch({});

/** What the sandbox is to do. */
export interface SandboxConfig {
  readonly enabled: boolean;
  /** A machine that has no sandbox runs no command. */
  readonly required: boolean;
  /** A command that runs inside needs no further permission for itself. */
  readonly autoAllow: boolean;
  /** `dangerouslyDisableSandbox` works, after a person said yes. */
  readonly allowUnsandboxed: boolean;
  /** Commands that run outside: exact, or with `*`. */
  readonly excluded: readonly string[];
  readonly allowWrite: readonly string[];
  readonly denyWrite: readonly string[];
  readonly denyRead: readonly string[];
  /** Hosts that may be reached; none means no network at all. */
  readonly hosts: readonly string[];
  readonly deniedHosts: readonly string[];
}

/** What an embedder may set; it is pooled with the settings, and the stricter one holds. */
export type SandboxOverrides = Partial<SandboxConfig>;

/**
 * The sandbox as settings and embedder want it. Of several sources that say whether it is on, is required or
 * may be left, the strictest counts, so that no file can switch off what another asks for.
 */
export function sandboxConfig(
  { values }: Pick<SettingsSnapshot, 'values'>,
  overrides: SandboxOverrides = {},
): SandboxConfig {
  const found = values
    .filter(({ key }) => key === 'sandbox')
    .map(({ value }) => settings.parse(value));
  const all = <T>(pick: (one: z.output<typeof settings>) => readonly T[] | undefined) =>
    found.flatMap((one) => pick(one) ?? []);
  const some = (pick: (one: z.output<typeof settings>) => boolean | undefined) =>
    found.some((one) => pick(one) === true);
  return {
    enabled: (overrides.enabled ?? false) || some(({ enabled }) => enabled),
    required: (overrides.required ?? false) || some(({ failIfUnavailable }) => failIfUnavailable),
    autoAllow: overrides.autoAllow ?? some((one) => one.autoAllowBashIfSandboxed),
    allowUnsandboxed:
      (overrides.allowUnsandboxed ?? true) &&
      found.every((one) => one.allowUnsandboxedCommands !== false),
    excluded: [...(overrides.excluded ?? []), ...all((one) => one.excludedCommands)],
    allowWrite: [...(overrides.allowWrite ?? []), ...all((one) => one.filesystem?.allowWrite)],
    denyWrite: [...(overrides.denyWrite ?? []), ...all((one) => one.filesystem?.denyWrite)],
    denyRead: [...(overrides.denyRead ?? []), ...all((one) => one.filesystem?.denyRead)],
    hosts: [...(overrides.hosts ?? []), ...all((one) => one.network?.allowedDomains)],
    deniedHosts: [...(overrides.deniedHosts ?? []), ...all((one) => one.network?.deniedDomains)],
  };
}
