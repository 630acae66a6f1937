import { createHookRunner, type ListedHook } from '@toolgate/hooks';
import { createStandardToolgate } from '../create-standard-toolgate.ts';
import { checkEvent } from './hook-event.ts';
import { existingFolder } from './make-gate.ts';
import { writeLine, writeText } from './output.ts';
import { createTeller } from './teller.ts';

/** The flags of both `hooks` verbs. */
export interface HooksFlags {
  readonly settings: readonly string[];
  readonly cwd: string;
  readonly trust: boolean;
  readonly tool?: string;
  readonly text: boolean;
}

/** `toolgate hooks list`: what would run, and where it stands. Answers with the exit code. */
export async function hooksList(flags: HooksFlags & { readonly event?: string }): Promise<number> {
  const event = flags.event === undefined ? undefined : checkEvent(flags.event);
  const teller = createTeller(false);
  const hooks = createHookRunner();
  const gate = await createStandardToolgate({
    cwd: await existingFolder(flags.cwd),
    ...(flags.trust && { trust: true }),
    settingsFiles: flags.settings,
    hooks,
    onDiagnostic: (diagnostic) => teller.diagnostic(diagnostic),
  });
  try {
    const listed = hooks.list({
      ...(event && { event }),
      ...(flags.tool !== undefined && { tool: flags.tool }),
    });
    for (const hook of listed) await (flags.text ? writeText(sentence(hook)) : writeLine(hook));
    teller.end();
    return 0;
  } finally {
    await gate.close();
  }
}

function sentence(hook: ListedHook): string {
  const matcher = hook.matcher === '' ? '*' : hook.matcher;
  const place = [hook.file ?? hook.source, hook.pointer].join(' ');
  return `${hook.event} ${matcher}: ${hook.type} ${hook.hook}${hook.if === undefined ? '' : ` (if ${hook.if})`} — ${place}\n`;
}
