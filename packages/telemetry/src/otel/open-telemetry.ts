import {
  context,
  metrics,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Span,
} from '@opentelemetry/api';
import {
  definePlugin,
  type CallOutcome,
  type MappedCall,
  type Plugin,
  type TraceEvent,
} from '@toolgate/core';
import { classifyToolError } from '../classify-tool-error.ts';
import { redactSecrets } from '../redact/redact-secrets.ts';
import { attribute, metric, spanEvent } from './names.ts';
import { hasSdk } from './has-sdk.ts';

/** What is told beside names, codes, durations and sizes. */
export interface OpenTelemetryOptions {
  /** Which contents go out, without known secrets. Default: none. */
  readonly content?: { readonly input?: boolean; readonly output?: boolean };
  /** Most characters of a content. Default 4,096. */
  readonly maxContentChars?: number;
}

interface OpenCall {
  readonly span: Span;
  readonly tool: string;
  readonly stages: Map<string, Span>;
  validatedAt: number | undefined;
  isQueued: boolean;
}

/** The plugin, and the trace context of a call for whatever it starts elsewhere. */
export interface OpenTelemetry {
  readonly plugin: Plugin;
  /** `traceparent` and whatever else the registered propagator writes; empty for a call that is not open. */
  traceContext(toolUseId: string): Readonly<Record<string, string>>;
  /** The same as environment variables, for hook processes: `TRACEPARENT` … */
  callEnvironment(toolUseId: string): Readonly<Record<string, string>>;
}

/** The plugin alone. */
export const openTelemetry = (options?: OpenTelemetryOptions): Plugin =>
  createOpenTelemetry(options).plugin;

/**
 * A span for each call (`execute_tool NAME`) with one for each stage, events for decisions and hooks, and metrics, by
 * the GenAI semantic conventions, through the OpenTelemetry API. The SDK is yours: register it before the gate is
 * made. Without one nothing is tapped and nothing is slower.
 */
export function createOpenTelemetry(options: OpenTelemetryOptions = {}): OpenTelemetry {
  const open = new Map<string, OpenCall>();
  const traceContext = (toolUseId: string): Readonly<Record<string, string>> => {
    const span = open.get(toolUseId)?.span;
    if (!span) return {};
    const carrier: Record<string, string> = {};
    propagation.inject(trace.setSpan(ROOT_CONTEXT, span), carrier);
    const { traceId, spanId, traceFlags } = span.spanContext();
    const flags = traceFlags.toString(16).padStart(2, '0');
    // Without a propagator the W3C form, which everybody reads.
    return { traceparent: `00-${traceId}-${spanId}-${flags}`, ...carrier };
  };
  return {
    plugin: pluginOf(options, open),
    traceContext,
    callEnvironment: (toolUseId) =>
      Object.fromEntries(
        Object.entries(traceContext(toolUseId)).map(([name, value]) => [
          name.toUpperCase().replaceAll('-', '_'),
          value,
        ]),
      ),
  };
}

const pluginOf = (options: OpenTelemetryOptions, open: Map<string, OpenCall>): Plugin =>
  definePlugin({
    name: '@toolgate/opentelemetry',
    setup(gate) {
      if (!hasSdk()) return;
      const { content = {}, maxContentChars = 4_096 } = options;
      const tracer = trace.getTracer('toolgate');
      const meter = metrics.getMeter('toolgate');
      const duration = meter.createHistogram(metric.duration, { unit: 's' });
      const calls = meter.createCounter(metric.calls, { unit: '{call}' });
      const queue = meter.createHistogram(metric.queue, { unit: 's' });
      const size = meter.createHistogram(metric.size, { unit: '{character}' });
      const begin = ({ id, tool }: TraceEvent) => {
        const mcp = tool.startsWith('mcp__');
        const span = tracer.startSpan(`execute_tool ${tool}`, {
          kind: SpanKind.INTERNAL,
          attributes: {
            [attribute.operation]: 'execute_tool',
            [attribute.tool]: tool,
            [attribute.toolType]: mcp ? 'extension' : 'function',
            [attribute.callId]: id,
            [attribute.conversation]: gate.sessionId,
            ...(mcp && { [attribute.mcpMethod]: 'tools/call' }),
          },
        });
        open.set(id, { span, tool, stages: new Map(), validatedAt: undefined, isQueued: true });
      };
      const stage = (call: OpenCall, event: TraceEvent) => {
        const { stage: name = '' } = event;
        if (event.event === 'stage-start') {
          if (name === 'start' && call.validatedAt !== undefined && call.isQueued) {
            const waited = performance.now() - call.validatedAt;
            call.isQueued = false;
            call.span.setAttribute(attribute.queueMs, Math.round(waited));
            queue.record(waited / 1_000, { [attribute.tool]: call.tool });
          }
          const under = trace.setSpan(context.active(), call.span);
          call.stages.set(
            name,
            tracer.startSpan(
              `toolgate ${name}`,
              { attributes: { [attribute.stage]: name } },
              under,
            ),
          );
          return;
        }
        if (name === 'validate') call.validatedAt = performance.now();
        call.stages.get(name)?.end();
        call.stages.delete(name);
      };
      const end = (call: OpenCall, { id, outcome = '', code, ms = 0 }: TraceEvent) => {
        for (const span of call.stages.values()) span.end();
        const facts: Attributes = {
          [attribute.outcome]: outcome,
          ...(code !== undefined && { [attribute.code]: code }),
        };
        call.span.setAttributes(facts);
        if (outcome === 'failed')
          call.span.setStatus({
            code: SpanStatusCode.ERROR,
            ...(code !== undefined && { message: code }),
          });
        duration.record(ms / 1_000, { [attribute.tool]: call.tool, ...facts });
        call.span.end();
        open.delete(id);
      };

      gate.hooks.trace.tap('opentelemetry', (event) => {
        if (event.event === 'call-start') begin(event);
        const call = open.get(event.id);
        if (!call) return undefined;
        const span = (event.stage !== undefined && call.stages.get(event.stage)) || call.span;
        if (event.event === 'stage-start' || event.event === 'stage-end') stage(call, event);
        else if (event.event === 'call-end') end(call, event);
        else if (event.event === 'hook-end') span.addEvent(spanEvent.hook, factsOf(event));
        else if (event.event === 'retry') span.addEvent(spanEvent.retry, factsOf(event));
        else if (
          event.event === 'tap-end' &&
          event.outcome !== 'answer' &&
          event.outcome !== 'none'
        )
          span.addEvent(spanEvent.tap, factsOf(event));
        return undefined;
      });
      gate.hooks.emit.tap('opentelemetry', async (outcome) => {
        const call = open.get(outcome.block.tool_use_id);
        if (!call) return undefined;
        const { decision } = outcome;
        const facts = decision && {
          [attribute.decision]: decision.behavior,
          [attribute.source]: sourceOf(decision),
        };
        if (facts) call.span.addEvent(spanEvent.decision, facts);
        const chars = charsOf(outcome.block.content);
        call.span.setAttribute(attribute.resultChars, chars);
        size.record(chars, { [attribute.tool]: call.tool });
        calls.add(1, {
          [attribute.tool]: call.tool,
          [attribute.outcome]: outcome.outcome,
          ...(facts && { [attribute.decision]: facts[attribute.decision] ?? '' }),
          ...(outcome.code !== undefined && { [attribute.code]: outcome.code }),
        });
        if (content.output)
          call.span.setAttribute(
            attribute.result,
            await shown(outcome.block.content, maxContentChars),
          );
        return undefined;
      });
      gate.hooks.postToolUseFailure.tap('opentelemetry', ({ toolUse, ending }: MappedCall) => {
        if (!ending.ok)
          open
            .get(toolUse.id)
            ?.span.setAttribute(attribute.errorType, classifyToolError(ending.failure.cause));
        return undefined;
      });
      if (content.input)
        gate.hooks.lookup.tap('opentelemetry', async ({ id, input }) => {
          open.get(id)?.span.setAttribute(attribute.arguments, await shown(input, maxContentChars));
          return undefined;
        });
    },
  })();

/** Names and numbers alone: `stderr` and `message` are not ours to tell. */
const factsOf = ({ hook, tap, plugin, outcome, code, exitCode, attempt }: TraceEvent): Attributes =>
  Object.fromEntries(
    Object.entries({
      [attribute.hook]: hook,
      [attribute.tap]: tap,
      [attribute.plugin]: plugin,
      [attribute.outcome]: outcome,
      [attribute.code]: code,
      [attribute.exitCode]: exitCode,
      [attribute.attempt]: attempt,
    }).filter((entry): entry is [string, string | number] => entry[1] !== undefined),
  );

/** Who decided: the settings source of the rule, else the step and the tap that said so. */
function sourceOf({ behavior, trail }: NonNullable<CallOutcome['decision']>): string {
  const said = trail.findLast((entry) => entry.behavior === behavior);
  return said?.rule ? `rule ${said.rule.source}` : said ? `${said.step} ${said.from}` : 'nobody';
}

const charsOf = (content: CallOutcome['block']['content']): number =>
  typeof content === 'string'
    ? content.length
    : content.reduce(
        (sum, block) => sum + (typeof block['text'] === 'string' ? block['text'].length : 0),
        0,
      );

/** A content without known secrets; when that fails, nothing of it. */
async function shown(value: unknown, most: number): Promise<string> {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  try {
    return (await redactSecrets(text)).text.slice(0, most);
  } catch {
    return '[withheld]';
  }
}
