import {
  askModel,
  type LanguageModel,
  type Opinion,
  type PluginGate,
  type ValidCall,
} from '@toolgate/core';
import { AnswerCache } from './answer-cache.ts';
import { conclude } from './conclude.ts';
import { readDescriptions, type Description } from './descriptions.ts';
import { answerSchema, questionOf, type JudgeAnswer, type Judged } from './question.ts';
import { holdsSecret } from './secret-forms.ts';
import type { SideQueryOptions } from './side-query.ts';
import { isWorthAsking, type Settings } from './worth-asking.ts';

/** Asks about a call, or answers undefined at once where there is nothing to ask. The promise never rejects. */
export type Judge = (
  call: ValidCall,
  settings: Settings,
  signal: AbortSignal,
) => Promise<Opinion | undefined> | undefined;

/** A judge with its memory. Whatever goes wrong is reported and means no opinion. */
export function createJudge(
  gate: Pick<PluginGate, 'diagnostic'>,
  model: LanguageModel,
  options: SideQueryOptions,
): Judge {
  const cache = new AnswerCache<JudgeAnswer>(options.mostAnswers ?? 200);
  const isSecret = options.holdsSecret ?? holdsSecret;
  const descriptionsOf = describing(gate);

  return (call, settings, signal) => {
    const descriptions = descriptionsOf(settings).filter(
      ({ tool }) => tool === undefined || tool === call.tool.name,
    );
    const auto = settings.mode === 'auto';
    const text = textOf(call);
    if (text === '' || (descriptions.length === 0 && !auto) || !isWorthAsking(call, settings))
      return undefined;
    if (isSecret(text)) {
      gate.diagnostic({
        code: 'side-query-withheld',
        severity: 'info',
        message: `a call of ${call.tool.name} was not shown to the model that judges: it seems to hold a secret.`,
      });
      return undefined;
    }
    const judged: Judged = { tool: call.tool.name, text, cwd: call.cwd, descriptions, auto };
    return answer(judged, signal).catch((thrown: unknown) => {
      if (!signal.aborted)
        gate.diagnostic({
          code: 'side-query-failed',
          severity: 'warning',
          message: `the model that judges calls gave no opinion: ${thrown instanceof Error ? thrown.message : 'it failed'}`,
        });
      return undefined;
    });
  };

  async function answer(judged: Judged, signal: AbortSignal): Promise<Opinion | undefined> {
    const { descriptions, ...rest } = judged;
    const key = JSON.stringify(rest);
    cache.under(JSON.stringify(descriptions.map(({ text, effect }) => [text, effect])));
    const known = cache.get(key);
    if (known) return conclude(known, judged);
    const limit = AbortSignal.timeout(options.timeoutMs ?? 15_000);
    const given = await askModel(model, {
      ...questionOf(judged),
      schema: answerSchema,
      signal: AbortSignal.any([signal, limit]),
    });
    cache.set(key, given);
    return conclude(given, judged);
  }
}

/** The descriptions of a state of the settings, read once; what is wrong with them is said once. */
function describing(
  gate: Pick<PluginGate, 'diagnostic'>,
): (settings: Settings) => readonly Description[] {
  const known = new WeakMap<object, readonly Description[]>();
  const said = new Set<string>();
  return (settings) => {
    const found = known.get(settings.values);
    if (found) return found;
    const { descriptions, diagnostics } = readDescriptions(settings);
    known.set(settings.values, descriptions);
    for (const diagnostic of diagnostics) {
      const key = JSON.stringify(diagnostic);
      if (!said.has(key)) gate.diagnostic(diagnostic);
      said.add(key);
    }
    return descriptions;
  };
}

/** What the tool wants judged; a tool that fails to tell is not classified. */
function textOf({ tool, input }: ValidCall): string {
  try {
    const text: unknown = tool.toAutoClassifierInput(input);
    return typeof text === 'string' ? text.trim() : '';
  } catch {
    return '';
  }
}
