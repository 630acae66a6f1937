import { z } from 'zod';
import { hasDefault } from './build-tool.ts';
import { isDeferred, loadedTools } from './deferred-tools.ts';
import { messageOf } from './failure.ts';
import { attempt, attemptNow, neverAborts } from './hooks/guard.ts';
import { isZod } from './input-schema.ts';
import type { Parts } from './run.ts';
import type { SettingsSnapshot } from './settings-snapshot.ts';
import type { AnyObject, AnyTool } from './tool.ts';

/** A tool as the Messages API takes it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly input_schema: AnyObject & { readonly type: 'object' };
}

/** For whom definitions are. */
export interface DefinitionOptions {
  /** Default true. */
  readonly isNonInteractiveSession?: boolean;
  /** Names of the tools that may be offered. Default: all. */
  readonly tools?: readonly string[];
  /** The conversation so far: deferred tools that it loaded are offered, too. */
  readonly messages?: readonly unknown[];
}

/** What the model may be offered: enabled, not hidden, not deferred; in the order of registration, always the same bytes. */
export async function toolDefinitions(
  parts: Parts,
  schemas: WeakMap<AnyTool, AnyObject>,
  options: DefinitionOptions = {},
): Promise<readonly ToolDefinition[]> {
  const { registry, policy } = parts;
  const settings = policy.snapshot();
  const tools = registry.tools.filter(({ name }) => options.tools?.includes(name) ?? true);
  const described = {
    isNonInteractiveSession: options.isNonInteractiveSession ?? true,
    toolPermissionContext: { mode: policy.mode, directories: policy.directories() },
    tools,
  };
  const loaded = loadedTools(options.messages ?? []);
  const shown = tools.filter(
    (tool) => (!isDeferred(tool) || loaded.has(tool.name)) && !isHidden(tool, parts, settings),
  );
  const definitions = await Promise.all(
    shown.map(async (tool) => {
      try {
        const prompt = await attempt<unknown>(() => tool.prompt(described), 30_000, {
          clock: parts.clock,
          signal: neverAborts,
        });
        if (!prompt.ok) throw new Error(prompt.message);
        if (typeof prompt.value !== 'string') throw new Error('its prompt is no text');
        return {
          name: tool.name,
          description: prompt.value,
          input_schema: schemaOf(tool, schemas),
        };
      } catch (thrown) {
        parts.report({
          code: 'tool-left-out',
          severity: 'error',
          message: `tool ${tool.name} was left out of what the model gets: ${messageOf(thrown)}`,
        });
        return undefined;
      }
    }),
  );
  return definitions.filter((definition) => definition !== undefined);
}

/** A hidden tool is still decided on when it is called, so one that may be hidden or not is shown. */
function isHidden(tool: AnyTool, parts: Parts, settings: SettingsSnapshot): boolean {
  if (settings.mode === 'plan' && isNeverReadOnly(tool, parts)) return true;
  const answer = attemptNow<unknown>(() => parts.backend?.hides?.(tool, settings));
  if (!answer.ok)
    parts.report({
      code: 'hides-failed',
      severity: 'warning',
      message: `whether ${tool.name} is to be hidden could not be told, so it is shown: ${answer.message}`,
    });
  return answer.ok && answer.value === true;
}

/** Nobody says of any input of this tool that it only reads. */
const isNeverReadOnly = (tool: AnyTool, { effects }: Parts): boolean =>
  hasDefault(tool, 'isReadOnly') && hasDefault(tool, 'effects') && !effects.owners.has(tool.name);

function schemaOf(
  tool: AnyTool,
  schemas: WeakMap<AnyTool, AnyObject>,
): ToolDefinition['input_schema'] {
  const schema = schemas.get(tool) ?? tool.inputJSONSchema ?? exported(tool.inputSchema);
  schemas.set(tool, schema);
  if (schema['type'] !== 'object') throw new Error('its input schema is no object schema');
  return { ...structuredClone(schema), type: 'object' };
}

function exported(schema: AnyTool['inputSchema']): AnyObject {
  if (!isZod(schema)) throw new Error('it has no inputJSONSchema');
  return z.toJSONSchema(schema, { io: 'input' });
}
