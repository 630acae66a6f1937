import { left, refuse, type FoundCall, type Step, type ValidCall } from '../call.ts';
import { unlessInterrupted } from '../call-ledger.ts';
import { hasDefault } from '../build-tool.ts';
import { computeEffects } from '../compute-effects.ts';
import { askTool } from '../create-context.ts';
import { buildSchemaNotSentHint } from '../deferred-tools.ts';
import { readAnswer } from '../hooks/answer.ts';
import { validationAnswer } from '../hooks/create-hooks.ts';
import { attemptNow, type Attempt } from '../hooks/guard.ts';
import { frozenJson, sameJson } from '../json.ts';
import { ask, type AskOpinion } from '../opinion.ts';
import { parseInput, type ParsedInput } from '../parse-input.ts';
import { effectsFacts, resolvePath } from '../path-facts.ts';
import type { Run } from '../run.ts';
import type { AnyObject, ValidationResult } from '../tool.ts';
import { stoppable } from './stage.ts';

/** Stage 2. The model's input becomes a frozen value that parses to itself, with its effects. */
export const validate = stoppable<FoundCall, Step<ValidCall>>('validate', (found, run) =>
  revise(found, found.toolUse.input, run, 0),
);

/** The one way to give a call an input: parse, effects, check, freeze. Later inputs count as a new revision. */
export async function revise(
  found: FoundCall,
  raw: unknown,
  run: Run,
  revision: number,
): Promise<Step<ValidCall>> {
  const judged = await judge(found, raw, run, revision);
  if (left(judged)) return judged;
  // What was done before is not checked again: the disk may well look otherwise since.
  return judged.known?.state === 'done' ? judged : check(judged, run);
}

/** The same without the tool's own checks, which may look at the disk. */
export async function judge(
  found: FoundCall,
  raw: unknown,
  run: Run,
  revision: number,
): Promise<Step<ValidCall>> {
  const parsed = await parse(found, raw, run);
  const { toolUse, tool, notice, known } = found;
  if (!parsed.ok) {
    const { messages = [] } = run.turn.context;
    const unseen = revision === 0 && parsed.code === 'input_invalid';
    const hint = unseen
      ? buildSchemaNotSentHint(tool, messages, run.parts.registry.tools)
      : undefined;
    return refuse({ code: parsed.code, stage: 'validate', message: hint ?? parsed.message });
  }
  const { cwd } = run.parts.session;
  const { agentId, agentType } = run.turn.context;
  const facts = effectsFacts({
    cwd,
    directories: run.parts.policy.directories(run.parts.policy.inTurn(run.turn.settings)),
    facts: run.parts.facts,
  });
  const effects = computeEffects(found, parsed.input, facts, run.parts.effects);
  const observedInput = observed(found, parsed.input, cwd, run);
  const valid: ValidCall = {
    toolUse,
    tool,
    ...(notice !== undefined && { notice }),
    ...(known && { known }),
    input: parsed.input,
    observedInput,
    effects,
    cwd,
    revision,
    checkAsks: [],
    ...(agentId !== undefined && { agentId }),
    ...(agentType !== undefined && { agentType }),
  };
  return unlessInterrupted(valid, run);
}

async function parse(call: FoundCall, input: unknown, run: Run): Promise<ParsedInput> {
  const answer = await run.parts.hooks.parse.first({ call, input }, run);
  if (!answer) return parseInput(call.tool, input);
  if (!answer.ok)
    return {
      ok: false,
      code: 'schema_invalid',
      message: `The input of ${call.tool.name} could not be checked, so nothing ran.`,
    };
  if ('error' in answer.value)
    return {
      ok: false,
      code: 'input_invalid',
      message: `InputValidationError: ${answer.value.error}`,
    };
  if (answer.value.input === undefined)
    return {
      ok: false,
      code: 'schema_invalid',
      message: `The input of ${call.tool.name} was not parsed, so nothing ran.`,
    };
  return { ok: true, input: answer.value.input };
}

/** The input as observers see it: fields may be added, and a path may become absolute; nothing else. */
function observed({ tool }: FoundCall, input: AnyObject, cwd: string, run: Run): AnyObject {
  if (hasDefault(tool, 'backfillObservableInput')) return input;
  const { home } = run.parts.facts;
  const filled = attemptNow<unknown>(() =>
    tool.backfillObservableInput({ ...input }, { cwd, home }),
  );
  const json = filled.ok ? frozenJson(filled.value) : { problem: filled.message };
  if ('problem' in json || typeof json.value !== 'object' || json.value === null) {
    run.parts.report({
      code: 'backfill-failed',
      severity: 'warning',
      message: `${tool.name} could not fill in its input for observers${'problem' in json ? `: ${json.problem}` : ''}.`,
    });
    return input;
  }
  const shown = json.value as AnyObject; // an object, as just checked
  const isSamePath = (a: unknown, b: unknown) =>
    typeof a === 'string' && typeof b === 'string' && resolvePath(a, cwd, home) === b;
  const kept = Object.entries(input).every(
    ([key, value]) => sameJson(shown[key], value) || isSamePath(value, shown[key]),
  );
  return kept ? shown : input;
}

/** A replacement without what only observers were shown; undefined when it then changes nothing. */
export function withoutBackfill(
  { input, observedInput }: ValidCall,
  replacement: AnyObject,
): AnyObject | undefined {
  const entries = Object.entries(replacement).flatMap(([key, value]): [string, unknown][] => {
    if (!Object.hasOwn(observedInput, key) || !sameJson(value, observedInput[key]))
      return [[key, value]];
    return Object.hasOwn(input, key) ? [[key, input[key]]] : [];
  });
  const own = Object.freeze(Object.fromEntries(entries));
  return sameJson(own, input) ? undefined : own;
}

async function check(call: ValidCall, run: Run): Promise<Step<ValidCall>> {
  const own = await askOwn(call, run);
  const taps = await run.parts.hooks.check.collect(call, run);
  const asks: AskOpinion[] = [];
  for (const answer of [own, ...taps]) {
    if (!answer.ok)
      return refuse({
        code: 'input_invalid',
        stage: 'validate',
        message: `The input of ${call.tool.name} could not be checked, so nothing ran: ${answer.message}.`,
      });
    if (answer.value?.result === true) continue;
    if (answer.value?.result !== false)
      return refuse({
        code: 'input_invalid',
        stage: 'validate',
        message: `A check of ${call.tool.name} gave no answer, so nothing ran.`,
      });
    if ('behavior' in answer.value)
      asks.push(ask(answer.value.message ?? 'The tool wants this confirmed.', 'person'));
    else
      return refuse({
        code: 'input_invalid',
        stage: 'validate',
        message: answer.value.message ?? `The input of ${call.tool.name} was refused.`,
        ...(answer.value.errorCode !== undefined && { errorCode: answer.value.errorCode }),
      });
  }
  return asks.length > 0 ? { ...call, checkAsks: asks } : call;
}

async function askOwn(call: ValidCall, run: Run): Promise<Attempt<ValidationResult | undefined>> {
  if (hasDefault(call.tool, 'validateInput')) return { ok: true, value: { result: true } };
  const answered = await askTool<unknown>(call, run, (context) =>
    call.tool.validateInput(call.input, context),
  );
  return answered.ok ? readOwn(answered.value, call.tool.name) : answered;
}

function readOwn(value: unknown, tool: string): Attempt<ValidationResult | undefined> {
  const read = readAnswer(value, validationAnswer, `the answer of ${tool}'s validateInput`);
  return read.ok
    ? { ok: true, value: read.value as ValidationResult | undefined } // checked by readAnswer
    : { ok: false, reason: 'bad_answer', message: read.problem };
}
