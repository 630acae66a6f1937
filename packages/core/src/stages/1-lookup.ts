import { recall } from '../call-ledger.ts';
import { left, refuse, type FoundCall, type Step } from '../call.ts';
import type { ToolUse } from '../messages.ts';
import type { Run } from '../run.ts';
import type { AnyTool } from '../tool.ts';
import { stoppable } from './stage.ts';

/** Stage 1. A plugin may resolve the name; else enabled tools by name, then by alias, byte for byte. */
export const lookup = stoppable<ToolUse, Step<FoundCall>>('lookup', async (toolUse, run) => {
  if (run.isDuplicate)
    return refuse({
      code: 'duplicate_id',
      stage: 'lookup',
      message: `Another call of this message has the id ${toolUse.id}; only the first one ran. Send the call again with an id of its own.`,
    });
  const resolved = await run.parts.hooks.lookup.first(toolUse, run);
  if (resolved && !resolved.ok)
    return refuse({
      code: 'plugin_failed',
      stage: 'lookup',
      message: `The tool "${toolUse.name}" could not be looked up, so nothing ran. Use another tool.`,
    });

  const tool = resolved?.value.tool ?? run.parts.registry.find(toolUse.name);
  const { tools } = run.turn.context;
  if (!tool || tools?.includes(tool.name) === false) return notFound(toolUse, run);
  const recalled = await recall(toolUse, run);
  return left(recalled)
    ? recalled
    : { toolUse, tool, ...deprecation(tool, toolUse.name), ...recalled };
});

function notFound(toolUse: ToolUse, run: Run): Step<FoundCall> {
  const message = `There is no tool named "${toolUse.name.slice(0, 128)}". ${run.parts.registry.suggest(toolUse.name, run.turn.context.tools)}`;
  return refuse({ code: 'tool_not_found', stage: 'lookup', message });
}

const deprecation = (tool: AnyTool, name: string) =>
  tool.deprecatedAliases.includes(name)
    ? { notice: `Note: "${name}" is an old name; call this tool ${tool.name}.` }
    : {};
