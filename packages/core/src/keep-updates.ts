import type { StartedCall } from './call.ts';
import { attempt, attemptNow } from './hooks/guard.ts';
import { effectsFacts } from './path-facts.ts';
import { isOfSession, ruleText, type PermissionUpdate } from './permission-update.ts';
import type { PromptAnswer } from './hooks/create-hooks.ts';
import type { Run } from './run.ts';
import { isManagedOnly, type PermissionMode } from './settings-snapshot.ts';

/** What came with an answer that allowed a call. */
export interface ToKeep {
  readonly by: PromptAnswer['by'] | undefined;
  readonly updates: readonly PermissionUpdate[];
}

const saveLimitMs = 10_000;

/**
 * Keeps what came with the answer that allowed this call, and nothing of any other (security rule 4). What a
 * rule saved in a file says counts at once, for this session; the file is what later sessions read. What may
 * not be kept, or cannot be, is reported; the call is allowed all the same.
 */
export async function keepUpdates(call: StartedCall, { by, updates }: ToKeep, run: Run) {
  const { policy } = run.parts;
  for (const update of updates) {
    const problem = whyNot(update, by, call, run) ?? (await keep(update));
    if (problem !== undefined)
      run.parts.report({
        code: 'rules-not-saved',
        severity: 'warning',
        message: `${described(update)} was not kept: ${problem}; the call was allowed once.`,
      });
  }

  async function keep(update: PermissionUpdate): Promise<string | undefined> {
    if (!isOfSession(update.destination)) {
      const { save } = policy;
      if (!save) return `saving to ${update.destination} is not possible here; choose session`;
      const saved = await attempt<unknown>(() => save(update), saveLimitMs, run);
      if (!saved.ok) return saved.message;
      if (update.type !== 'addRules') return undefined;
    }
    const destination = isOfSession(update.destination) ? update.destination : 'session';
    const applied = attemptNow(() => policy.update({ ...update, destination }));
    return applied.ok ? undefined : applied.message;
  }
}

function whyNot(
  update: PermissionUpdate,
  by: ToKeep['by'],
  call: StartedCall,
  run: Run,
): string | undefined {
  if (isManagedOnly(call.settings)) return 'managed policy keeps its own rules alone';
  if (by === 'classifier') return 'a classifier keeps nothing';
  if (
    update.type === 'setMode' &&
    update.mode === 'bypassPermissions' &&
    !run.parts.policy.canBypass
  )
    return 'this session was not started able to bypass permissions';
  const unbounded = by === 'hook' ? whyNotFromHook(update, call, run) : undefined;
  return unbounded ?? whyNotKept(update, call, run);
}

/** An allow rule must be one that the call itself could have come under, and no dangerous one. */
function whyNotKept(update: PermissionUpdate, call: StartedCall, run: Run): string | undefined {
  const { backend } = run.parts;
  if (!('rules' in update) || update.behavior !== 'allow' || update.type === 'removeRules')
    return undefined;
  for (const rule of update.rules) {
    const checked = attemptNow<string | undefined>(() =>
      backend?.whyNotKept?.(ruleText(rule), call),
    );
    const problem = checked.ok ? checked.value : checked.message;
    if (problem !== undefined) return `${ruleText(rule)} ${problem}`;
  }
  return undefined;
}

/** A hook adds only: what is as strict or stricter, for this session, in the folders there are. */
function whyNotFromHook(update: PermissionUpdate, call: StartedCall, run: Run): string | undefined {
  if (update.destination !== 'session') return 'a hook changes this session alone';
  if (update.type === 'setMode')
    return isAsStrict(update.mode, run.parts.policy.mode)
      ? undefined
      : 'a hook sets an equally strict or a stricter mode';
  if (update.type === 'addRules') return undefined;
  if (update.type !== 'addDirectories') return 'a hook takes nothing away';
  const { facts } = run.parts;
  const known = effectsFacts({ cwd: call.cwd, directories: call.directories, facts });
  return update.directories.every((directory) => known.isInside(directory))
    ? undefined
    : 'a hook adds folders inside the working directories alone';
}

/** Of each mode those that allow nothing more. A mode that nobody lists is stricter only than itself. */
const stricter: Readonly<Record<PermissionMode, readonly PermissionMode[]>> = {
  dontAsk: [],
  plan: [],
  default: ['plan', 'dontAsk'],
  acceptEdits: ['default', 'plan', 'dontAsk'],
  auto: ['plan'],
  bypassPermissions: ['acceptEdits', 'default', 'plan', 'dontAsk', 'auto'],
};
const isAsStrict = (mode: PermissionMode, now: PermissionMode): boolean =>
  mode === now || stricter[now].includes(mode);

function described(update: PermissionUpdate): string {
  if (update.type === 'setMode') return `mode ${update.mode}`;
  if ('directories' in update) return `${update.type} ${update.directories.join(', ')}`;
  return `${update.type} ${update.behavior} ${update.rules.map(ruleText).join(', ')}`;
}
