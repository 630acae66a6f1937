import {
  allow,
  ask,
  definePlugin,
  deny,
  diskFacts,
  isBelow,
  type Opinion,
  type PathFacts,
  type PermissionMode,
  type PermissionUnit,
  type ResolveInput,
  type StartedCall,
} from '@toolgate/core';

/** Where modes look paths up. */
export interface ModesOptions {
  /** Follows links in the working directories. Default: the disk's answer. */
  readonly facts?: Pick<PathFacts, 'realPath'>;
}

type Answers = Readonly<Record<PermissionMode, (input: ResolveInput) => Opinion | undefined>>;

/**
 * The permission modes of protocol 2.3, for calls that rules and tools left open. A mode never lifts a
 * deny, and of asks only the soft ones; core holds it to that. In `auto` what is left is for the
 * slot `classifier`; without a model it is `default`.
 */
export const modes = definePlugin<ModesOptions | void>({
  name: '@toolgate/modes',
  setup(gate, options) {
    const facts = options?.facts ?? diskFacts();
    const none = () => undefined;
    const answers: Answers = {
      default: none,
      plan: none,
      auto: gate.ports.model
        ? (input) => acceptEdits(input, facts)
        : onceThenNone(() =>
            gate.diagnostic({
              code: 'mode-auto-unavailable',
              severity: 'warning',
              message:
                'Mode auto needs a language model that decides; without one it is mode default.',
            }),
          ),
      acceptEdits: (input) => acceptEdits(input, facts),
      bypassPermissions,
      dontAsk: () => deny('This needs a confirmation, and nobody is asked in this mode.'),
    };
    gate.hooks.resolve.tap({ name: 'mode', slot: 'mode' }, (input) =>
      answers[input.call.settings.mode](input),
    );
    gate.hooks.opinions.tap({ name: 'plan-mode', slot: 'other' }, planMode);
  },
});

function onceThenNone(act: () => void): () => undefined {
  let done = false;
  return () => {
    if (!done) act();
    done = true;
    return undefined;
  };
}

const planMode = ({ settings, effects }: StartedCall): Opinion | undefined =>
  settings.mode === 'plan' && !effects.readOnly
    ? ask('Plan mode: only reading is free until the plan is accepted.')
    : undefined;

const bypassPermissions = ({ verdict }: ResolveInput): Opinion | undefined =>
  verdict.behavior === 'undecided' || verdict.strength === 'soft'
    ? allow('Permissions are bypassed in this session.', 'all')
    : undefined;

function acceptEdits(
  { call, verdict, uncovered }: ResolveInput,
  facts: Pick<PathFacts, 'realPath'>,
): Opinion | undefined {
  if (verdict.behavior !== 'undecided' || uncovered.length === 0) return undefined;
  const folders = call.directories.flatMap((folder) => [folder, facts.realPath(folder)]);
  const isInside = (path: string) => folders.some((folder) => isBelow(path, folder));
  return uncovered.every((unit) => isEditInside(unit, isInside))
    ? allow('Edits inside the working directories are accepted.', 'all')
    : undefined;
}

/** True for a unit that does nothing but write known paths inside. */
function isEditInside(unit: PermissionUnit, isInside: (path: string) => boolean): boolean {
  const { tool, path, realPath = path, open, writes = [] } = unit;
  if (unit.allowBy === 'none' && writes.length === 0) return false;
  if (tool === 'Edit' && path !== undefined && realPath !== undefined)
    return !open && isInside(path) && isInside(realPath);
  return (
    tool === 'Bash' &&
    writes.length > 0 &&
    writes.every((write) => isInside(write.path) && isInside(write.realPath))
  );
}
