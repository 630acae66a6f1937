import type { Warning } from '@toolgate/core';
import type { Analysis } from '../analyse.ts';
import type { VisitedRedirect } from '../bash/walked.ts';
import type { Node } from '../bash/model.ts';
import { listCommands } from '../bash/list-commands.ts';
import { assignedScript } from '../forms/hidden-scripts.ts';
import { invocationsOf, type Invocation } from '../forms/invocations.ts';
import { literal } from '../read-only/verdict.ts';
import { criticalRemoval, type CriticalFacts } from './critical.ts';
import { destruction } from './destructive.ts';

export interface FoundWarnings {
  readonly warnings: readonly Warning[];
  readonly destructive: boolean;
  /** The forms of each command, in the order of `Analysis.commands`. */
  readonly invocations: readonly (readonly Invocation[])[];
  /** For each command, whether something runs that the text does not name. */
  readonly hidden: readonly boolean[];
  /** Redirects in scripts that commands hold. */
  readonly redirects: readonly VisitedRedirect[];
}

const nowhere = { folders: undefined, variables: new Map() };
const noInput = { from: 'session' } as const;

/** Looks in every form of every command for what a person should see before answering. */
export function findWarnings(analysis: Analysis, facts: CriticalFacts): FoundWarnings {
  const warnings = new Map<string, Warning>();
  const add = (warning: Warning) => warnings.set(`${warning.code} ${warning.message}`, warning);
  let destructive = false;
  const destroys = (message: string): void => {
    destructive = true;
    add({ code: 'destructive', message });
  };
  const redirects: VisitedRedirect[] = [];
  const hidden: boolean[] = [];
  const invocations = analysis.commands.map(({ command, visit }, index) => {
    const { arguments: words = [], state = nowhere, input = noInput } = visit ?? {};
    const assigned = command.assignments.flatMap(({ name, value }) =>
      value?.pieces.every((piece) => piece.kind === 'text')
        ? assignedScript(name, value.pieces.map((piece) => piece.text).join(''))
        : [],
    );
    const found = invocationsOf(words, state, input, facts.home, assigned);
    hidden[index] = found.hidden;
    if (!found.complete)
      add({
        code: 'not-read-to-the-end',
        message: 'The command holds more commands than were read.',
        asks: 'ask',
      });
    redirects.push(...found.redirects);
    return found.all;
  });
  for (const invocation of invocations.flat()) {
    const message = destruction(invocation.words, invocation.input.text);
    if (message !== undefined) destroys(message);
    const critical = criticalRemoval(invocation, facts);
    if (critical !== undefined)
      add({ code: 'critical-removal', message: critical, asks: 'person' });
  }
  for (const message of emptied(analysis)) destroys(message);
  if (analysis.parsed.script.nodes.some((node) => isForkBomb(node)))
    destroys('A function that starts itself twice uses up all processes.');
  return { warnings: [...warnings.values()], destructive, invocations, hidden, redirects };
}

const device = /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|md|dm-|mapper\/|loop|sr|mem$|kmem$)/;

/** Output redirects that empty a file or overwrite a device. */
function emptied({ writes, walked }: Analysis): readonly string[] {
  return writes.flatMap(({ redirect, target, command }) => {
    const path = target?.texts[0] ?? '';
    if (device.test(path)) return [`Writing to ${path} overwrites a device.`];
    if (!/^(?:>|>\||&>)$/.test(redirect.operator) || !command) return [];
    const visit = walked.visits.find((one) => one.command === command);
    return isSilent(visit?.arguments.map((word) => literal(word) ?? '?'))
      ? [`The redirect empties ${target?.source ?? 'a file'}.`]
      : [];
  });
}

/** A command that prints nothing. */
function isSilent(texts: readonly string[] | undefined): boolean {
  const [name, ...rest] = texts ?? [];
  if (name === undefined || name === ':' || name === 'true' || name === 'false') return true;
  if (name === 'cat') return rest.length > 0 && rest.every((text) => text === '/dev/null');
  if (name === 'echo') return rest[0] === '-n' && rest.slice(1).every((text) => text === '');
  return name === 'printf' && rest.length > 0 && rest.every((text) => text === '');
}

function isForkBomb(node: Node): boolean {
  if (node.kind !== 'function') return false;
  const calls = listCommands({ nodes: [node.body] }).filter(
    (command) => command.words[0]?.text === node.name,
  );
  return (
    calls.length > 1 ||
    (calls.length === 1 && JSON.stringify(node.body).includes('"kind":"background"'))
  );
}
