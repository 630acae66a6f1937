import type { Tools } from '@toolgate/core';

/** A kind of sub-agent. */
export interface AgentDefinition {
  /** When to use it; the model reads that. */
  readonly description: string;
  /** What its model is told before the task. */
  readonly prompt: string;
  /** The tools it may use. Default: all of its parent's. */
  readonly tools?: readonly string[];
  /** Tools it may not use, of those. */
  readonly disallowedTools?: readonly string[];
}

/** The kind that is meant when a call names none. */
export const defaultType = 'general-purpose';

const general = `You work on one task for another agent. Do it fully, then answer with what it needs to know: what you did or found, with paths and lines. Nobody reads anything but your last answer, and nobody answers questions. A change of folder does not carry over from one command to the next.`;

/** The kinds there are without any others. */
export const builtinTypes: Readonly<Record<string, AgentDefinition>> = {
  [defaultType]: {
    description: 'For tasks of several steps, with all tools.',
    prompt: general,
  },
  Explore: {
    description: 'Looks things up in the files; changes nothing.',
    prompt: `${general} You can only read: find what is asked for, and quote it.`,
    tools: ['Read', 'Glob', 'Grep'],
  },
};

/** The names of the tools that an agent of a kind may use, of those its parent has. */
export function toolsFor({ tools, disallowedTools = [] }: AgentDefinition, known: Tools) {
  return known
    .map(({ name }) => name)
    .filter((name) => (tools?.includes(name) ?? true) && !disallowedTools.includes(name));
}
