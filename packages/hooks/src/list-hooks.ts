import { labelOf, type Handler } from './handler.ts';
import { hookEventNames, type HookEvent } from './hook-events.ts';
import { matchesTool } from './matcher.ts';

/** One handler as people see it in a list. */
export interface ListedHook {
  readonly event: HookEvent;
  readonly matcher: string;
  readonly type: Handler['type'];
  readonly hook: string;
  readonly source: Handler['source'];
  readonly file?: string;
  readonly pointer: string;
  readonly timeoutSeconds: number;
  readonly onFailure: 'continue' | 'block';
  readonly if?: string;
  readonly isAsync: boolean;
}

/** Lists handlers; of one event, or those whose matcher means one tool. */
export function listHooks(
  all: Readonly<Partial<Record<HookEvent, readonly Handler[]>>>,
  { event, tool }: { readonly event?: HookEvent; readonly tool?: string },
): readonly ListedHook[] {
  const named = tool === undefined ? undefined : { name: tool, aliases: [], deprecatedAliases: [] };
  return hookEventNames
    .filter((name) => event === undefined || name === event)
    .flatMap((name) =>
      (all[name] ?? [])
        .filter(({ matcher }) => !named || matchesTool(matcher, named))
        .map((handler): ListedHook => listed(name, handler)),
    );
}

const listed = (event: HookEvent, handler: Handler): ListedHook => ({
  event,
  matcher: handler.matcher,
  type: handler.type,
  hook: labelOf(handler),
  source: handler.source,
  ...(handler.file !== undefined && { file: handler.file }),
  pointer: handler.pointer,
  timeoutSeconds: handler.timeoutMs / 1000,
  onFailure: handler.onFailure,
  ...(handler.if !== undefined && { if: handler.if }),
  isAsync: handler.isAsync,
});
