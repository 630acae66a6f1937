import { didYouMean, type Diagnostic, type SettingValue } from '@toolgate/core';
import { z } from 'zod';
import { placeOf, type Handler } from './handler.ts';
import { visibleLine } from './bounded-text.ts';

export type Report = (diagnostic: Diagnostic) => void;

const object = z.record(z.string(), z.unknown());
const command = z.string().refine((text) => text.trim() !== '');
const args = z.array(z.string()).optional();
/** Fields that fall back to their default when they are wrong: a guard with a bad time limit still guards. */
const optional = {
  timeout: z.number().positive(),
  if: z.string().min(1),
  shell: z.enum(['bash', 'powershell']),
  async: z.boolean(),
  asyncRewake: z.boolean(),
  statusMessage: z.string(),
  once: z.boolean(),
};
const known = ['type', 'command', 'args', 'onFailure', ...Object.keys(optional)];
const otherTypes: readonly string[] = ['http', 'mcp_tool', 'prompt', 'agent'];

const defaultTimeoutMs = 600_000;
/** The longest delay a timer takes; about 24 days. */
const maxTimerMs = 2_147_483_647;

/** Where a handler was found, and what holds for all handlers. */
export interface HandlerPlace {
  readonly value: SettingValue;
  readonly pointer: string;
  readonly matcher: string;
  readonly onFailure: 'continue' | 'block';
}

/** Reads one entry of a `hooks` list. One that cannot run is reported and left out. */
export function readHandler(
  raw: unknown,
  { value, pointer, matcher, onFailure }: HandlerPlace,
  report: Report,
): Handler | undefined {
  const place = { ...(value.file !== undefined && { file: value.file }), pointer };
  const complain = (message: string, field?: string) =>
    report({
      ...placeOf(field === undefined ? place : { ...place, pointer: `${pointer}/${field}` }),
      code: 'hook-invalid',
      severity: 'error',
      message,
    });
  const entry = object.safeParse(raw);
  if (!entry.success) {
    complain('A hook must be an object; this one does not run.');
    return undefined;
  }
  const fields = entry.data;
  const problem = cannotRun(fields);
  if (problem) {
    report({ ...place, severity: 'error', ...problem });
    return undefined;
  }
  reportFields(fields, complain);
  const optionalField = <Name extends keyof typeof optional>(name: Name) =>
    optional[name].safeParse(fields[name]).data as z.infer<(typeof optional)[Name]> | undefined; // zod's own output type
  const seconds = optionalField('timeout');
  const rule = optionalField('if');
  const given = args.parse(fields['args']);
  return {
    ...place,
    command: command.parse(fields['command']),
    ...(given && { args: given }),
    shell: optionalField('shell') ?? 'bash',
    ...(rule !== undefined && { if: rule }),
    timeoutMs: seconds === undefined ? defaultTimeoutMs : Math.min(seconds * 1000, maxTimerMs),
    // Any other value reads as `block` (protocol 1.5).
    onFailure:
      fields['onFailure'] === undefined
        ? onFailure
        : fields['onFailure'] === 'continue'
          ? 'continue'
          : 'block',
    isAsync: optionalField('async') === true || optionalField('asyncRewake') === true,
    matcher,
    source: value.source,
  };
}

function cannotRun(
  fields: Readonly<Record<string, unknown>>,
): Pick<Diagnostic, 'code' | 'message'> | undefined {
  const type = fields['type'];
  if (typeof type === 'string' && otherTypes.includes(type))
    return {
      code: 'hook-unsupported',
      message: `Hooks of type "${type}" are not supported yet; this one does not run.`,
    };
  if (type !== 'command') {
    const shown = typeof type === 'string' ? `"${visibleLine(type, 40)}"` : String(typeof type);
    const hint = typeof type === 'string' ? didYouMean(type, ['command', ...otherTypes]) : '';
    return {
      code: 'hook-invalid',
      message: `"type" of a hook must be "command", not ${shown}; this one does not run.${hint}`,
    };
  }
  if (!command.safeParse(fields['command']).success)
    return { code: 'hook-invalid', message: 'A hook without a "command" text does not run.' };
  if (!args.safeParse(fields['args']).success)
    return {
      code: 'hook-invalid',
      message: '"args" of a hook must be a list of texts; this one does not run.',
    };
  return undefined;
}

function reportFields(
  fields: Readonly<Record<string, unknown>>,
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
  if (fields['asyncRewake'] === true)
    complain('"asyncRewake" is not supported yet; the hook runs in the background.', 'asyncRewake');
  for (const name of Object.keys(fields))
    if (!known.includes(name) && didYouMean(name, known) !== '')
      complain(`A hook has no field "${visibleLine(name, 40)}".${didYouMean(name, known)}`, name);
}
