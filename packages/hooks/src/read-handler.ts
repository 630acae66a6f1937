import { didYouMean, type Diagnostic, type SettingValue } from '@toolgate/core';
import { z } from 'zod';
import { visibleLine } from './bounded-text.ts';
import { placeOf, type Handler, type HandlerAction } from './handler.ts';
import {
  failsOpen,
  handlerTypes,
  specOf,
  takesRule,
  type HandlerType,
  type HookEvent,
} from './hook-events.ts';

export type Report = (diagnostic: Diagnostic) => void;
type Fields = Readonly<Record<string, unknown>>;

const object = z.record(z.string(), z.unknown());
const someText = z.string().regex(/\S/, 'it must be text');
const texts = z.array(z.string());

/** What each type needs; `command` is the only one whose optional fields may be wrong without harm. */
export const actions = {
  command: z.object({ command: someText, args: texts.optional() }),
  http: z.object({
    url: someText,
    headers: z.record(z.string(), z.string()).default({}),
    allowedEnvVars: texts.default([]),
  }),
  mcp_tool: z.object({ server: someText, tool: someText, input: object.default({}) }),
  prompt: z.object({
    prompt: someText,
    model: z.string().optional(),
    continueOnBlock: z.boolean().default(false),
  }),
  agent: z.object({ prompt: someText, model: z.string().optional() }),
} as const satisfies Readonly<Record<HandlerType, z.ZodType>>;

/** Fields that fall back to their default when they are wrong: a guard with a bad time limit still guards. */
export const optional = {
  timeout: z.number().positive(),
  if: z.string().min(1),
  shell: z.enum(['bash', 'powershell']),
  async: z.boolean(),
  asyncRewake: z.boolean(),
  statusMessage: z.string(),
  once: z.boolean(),
};
type Optional = typeof optional;
const known = [
  'type',
  'onFailure',
  ...Object.values(actions).flatMap(({ shape }) => Object.keys(shape)),
  ...Object.keys(optional),
];

/** The longest delay a timer takes; about 24 days. */
const maxTimerMs = 2_147_483_647;
const defaultSeconds: Readonly<Record<HandlerType, number>> = {
  command: 600,
  http: 600,
  mcp_tool: 600,
  prompt: 30,
  agent: 60,
};

/** The limit of a handler in milliseconds: what it says, else its type's and event's default (protocol 1.5). */
function limitOf(type: HandlerType, event: HookEvent, seconds: number | undefined): number {
  if (seconds !== undefined) return Math.min(seconds * 1000, maxTimerMs);
  const isSimple = type !== 'prompt' && type !== 'agent';
  if (isSimple && event === 'UserPromptSubmit') return 30_000;
  if (isSimple && event === 'MessageDisplay') return 10_000;
  return event === 'SessionEnd' ? 1_500 : defaultSeconds[type] * 1000;
}

/** Where a handler was found, and what holds for all handlers. */
export interface HandlerPlace {
  readonly event: HookEvent;
  readonly value: SettingValue;
  readonly pointer: string;
  readonly matcher: string;
  /** What a failure means where the handler does not say. */
  readonly onFailure: 'continue' | 'block';
  /** True when a failure blocks whatever the handler says. */
  readonly isFloor: boolean;
  readonly isStrict: boolean;
}

/** Reads one entry of a `hooks` list. One that cannot run is reported and left out. */
export function readHandler(raw: unknown, at: HandlerPlace, report: Report): Handler | undefined {
  const { value, event, matcher } = at;
  const place = { ...(value.file !== undefined && { file: value.file }), pointer: at.pointer };
  const complain = (message: string, field?: string) =>
    report({
      ...placeOf(field === undefined ? place : { ...place, pointer: `${at.pointer}/${field}` }),
      code: 'hook-invalid',
      severity: 'error',
      message,
    });
  const fields = object.safeParse(raw).data;
  if (!fields) {
    const rewrite = typeof raw === 'string' ? ' Write { "type": "command", "command": "…" }.' : '';
    complain(`A hook must be an object; this one does not run.${rewrite}`);
    return undefined;
  }
  const action = readAction(fields, event);
  if ('problem' in action) {
    complain(action.problem);
    return undefined;
  }
  const { type } = action;
  reportFields(fields, type, complain);
  const field = <Name extends keyof Optional>(name: Name) =>
    optional[name].safeParse(fields[name]).data as z.infer<Optional[Name]> | undefined; // zod's own output type
  const rule = field('if');
  if (rule !== undefined && !takesRule(event))
    complain(
      `A hook of ${event} with "if" never runs: there is no call that a rule could match.`,
      'if',
    );
  const rewakes = type === 'command' && field('asyncRewake') === true;
  const statusMessage = field('statusMessage');
  return {
    ...place,
    ...(action.type === 'command' ? { ...action, shell: field('shell') ?? 'bash' } : action),
    ...(rule !== undefined && { if: rule }),
    timeoutMs: limitOf(type, event, field('timeout')),
    onFailure: onFailureOf(fields, at),
    isStrict: at.isStrict && !failsOpen.has(event),
    isAsync: rewakes || (type === 'command' && field('async') === true),
    rewakes,
    isOnce: false,
    ...(statusMessage !== undefined && { statusMessage }),
    matcher,
    source: value.source,
  };
}

/** Any value but `continue` reads as `block` (protocol 1.5). */
function onFailureOf(fields: Fields, at: HandlerPlace): Handler['onFailure'] {
  if (failsOpen.has(at.event)) return 'continue';
  if (at.isFloor) return 'block';
  if (fields['onFailure'] === undefined) return at.onFailure;
  return fields['onFailure'] === 'continue' ? 'continue' : 'block';
}

type SettingsAction = Exclude<HandlerAction, { readonly type: 'function' }>;

function readAction(
  fields: Fields,
  event: HookEvent,
): SettingsAction | { readonly problem: string } {
  const type = handlerTypes.find((name) => name === fields['type']);
  if (!type) {
    const given = fields['type'];
    if (given === undefined) {
      const add = 'command' in fields ? ' Add "type": "command".' : '';
      return { problem: `A hook without "type" does not run.${add}` };
    }
    const shown = typeof given === 'string' ? `"${visibleLine(given, 40)}"` : typeof given;
    const hint = typeof given === 'string' ? didYouMean(given, handlerTypes) : '';
    return {
      problem: `"type" of a hook must be ${handlerTypes.join(', ')}, not ${shown}; this one does not run.${hint}`,
    };
  }
  const { types = handlerTypes } = specOf(event);
  if (!types.includes(type))
    return {
      problem: `${event} takes no hook of type "${type}", only ${types.join(', ')}; this one does not run.`,
    };
  const read = actions[type].safeParse(fields);
  if (!read.success) {
    const [issue] = read.error.issues;
    const field = String(issue?.path[0] ?? type);
    const what = fields[field] === undefined ? 'is missing' : 'has a wrong value';
    return { problem: `"${field}" of a hook of type "${type}" ${what}; this one does not run.` };
  }
  return { type, ...read.data } as SettingsAction; // read by the schema of its own type
}

function reportFields(
  fields: Fields,
  type: HandlerType,
  complain: (message: string, field: string) => void,
): void {
  for (const [name, schema] of Object.entries(optional))
    if (fields[name] !== undefined && !schema.safeParse(fields[name]).success)
      complain(`"${name}" of this hook has a wrong value; the hook runs without it.`, name);
  const { onFailure = 'continue' } = fields;
  if (onFailure !== 'continue' && onFailure !== 'block')
    complain(
      '"onFailure" must be "continue" or "block"; this value counts as "block".',
      'onFailure',
    );
  if (fields['once'] === true)
    complain('"once" has no effect in settings; the hook runs each time.', 'once');
  for (const name of ['async', 'asyncRewake'])
    if (fields[name] === true && type !== 'command')
      complain(`"${name}" is for hooks of type "command"; this hook is waited for.`, name);
  for (const name of Object.keys(fields))
    if (!known.includes(name) && didYouMean(name, known) !== '')
      complain(`A hook has no field "${visibleLine(name, 40)}".${didYouMean(name, known)}`, name);
}
