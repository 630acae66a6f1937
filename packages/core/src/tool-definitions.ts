import { z } from 'zod';
import { messageOf } from './failure.ts';
import type { Parts } from './run.ts';
import type { AnyObject, AnyTool } from './tool.ts';

/** A tool as the Messages API takes it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly input_schema: AnyObject & { readonly type: 'object' };
}

/** What the model may be offered: enabled, not hidden, not deferred; in the order of registration, always the same bytes. */
export async function toolDefinitions(
  parts: Parts,
  schemas: WeakMap<AnyTool, AnyObject>,
  options: { readonly isNonInteractiveSession?: boolean } = {},
): Promise<readonly ToolDefinition[]> {
  const { registry, policy, backend } = parts;
  const settings = policy.snapshot();
  const { tools } = registry;
  const described = {
    isNonInteractiveSession: options.isNonInteractiveSession ?? true,
    toolPermissionContext: { mode: policy.mode, directories: policy.directories() },
    tools,
  };
  const shown = tools.filter(
    (tool) => (!tool.shouldDefer || tool.alwaysLoad) && !backend?.hides?.(tool, settings),
  );
  const definitions = await Promise.all(
    shown.map(async (tool) => {
      try {
        return {
          name: tool.name,
          description: await tool.prompt(described),
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

function schemaOf(
  tool: AnyTool,
  schemas: WeakMap<AnyTool, AnyObject>,
): ToolDefinition['input_schema'] {
  const schema = schemas.get(tool) ?? z.toJSONSchema(tool.inputSchema, { io: 'input' });
  schemas.set(tool, schema);
  if (schema['type'] !== 'object') throw new Error('its input schema is no object schema');
  return { ...schema, type: 'object' };
}
