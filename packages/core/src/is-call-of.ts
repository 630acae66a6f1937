import type { StartedCall, ValidCall } from './call.ts';
import type { Tool } from './tool.ts';

/** True when the call is of this very tool; its input is then known by type. */
export const isCallOf = <I, O, P, C extends ValidCall | StartedCall>(
  tool: Tool<I, O, P>,
  call: C,
): call is C & { readonly input: I } => Object.is(call.tool, tool);
