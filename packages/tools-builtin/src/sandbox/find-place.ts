import type { ToolUseContext } from '@toolgate/core';
import type { Program, SandboxedProgram } from './sandbox-driver.ts';
import { sessionSandboxes } from './session-sandbox.ts';

/** Where a program runs, how that is said of it, and how to get there. */
export interface FoundPlace {
  /** For the output: the driver's name, or `none` and why. Empty where no sandbox was asked for. */
  readonly told: { readonly sandbox?: string; readonly noSandbox?: string };
  /** @param own Folders that the program writes and that belong to nobody else. */
  wrap(program: Program, own: readonly string[]): Promise<SandboxedProgram>;
}

/** Asks the sandbox of the session. @throws when the program has to run inside and cannot. */
export function findPlace(
  context: ToolUseContext,
  { tool, disabled }: { readonly tool: string; readonly disabled: boolean },
): FoundPlace {
  const session = sessionSandboxes.get(context.sessionId);
  const place = session?.place({ tool, effects: context.effects, disabled });
  const driver = place?.driver;
  return {
    told:
      place === undefined
        ? {}
        : place.driver === undefined
          ? { sandbox: 'none', noSandbox: place.why }
          : { sandbox: place.driver.name },
    async wrap(program, own) {
      if (!session || !driver) return { program };
      const { directories } = context.toolPermissionContext;
      return session.wrap(driver, program, { directories, own });
    },
  };
}
