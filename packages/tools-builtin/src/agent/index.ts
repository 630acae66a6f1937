export { agent, createAgent, type AgentOptions, type AgentProgress } from './agent.ts';
export type { AgentOutput } from './agent-output.ts';
export type { AgentDefinition } from './agent-types.ts';
