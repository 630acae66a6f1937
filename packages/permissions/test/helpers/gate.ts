import { buildTool, createToolgate, type Diagnostic, type ToolgateOptions } from '@toolgate/core';
import { z } from 'zod';
import { factsOf } from './vector-gate.ts';

export const toolUse = (input: unknown = { text: 'x' }, id = 'toolu_1', name = 'Echo') =>
  ({ type: 'tool_use', id, name, input }) as const;

/** A gate with one tool, Echo, that something must allow; `ran` holds the inputs it ran with. */
export function echoGate(options: ToolgateOptions = {}) {
  const ran: unknown[] = [];
  const diagnostics: Diagnostic[] = [];
  const echo = buildTool({
    name: 'Echo',
    description: 'Says what it is told.',
    inputSchema: z.strictObject({ text: z.string() }),
    effects: () => ({ suggestedRules: ['Echo'] }),
    call: (input) => (ran.push(input), { data: input.text }),
  });
  const gate = createToolgate({
    tools: [echo],
    cwd: '/p',
    facts: factsOf({ home: '/h' }),
    onDiagnostic: (diagnostic) => void diagnostics.push(diagnostic),
    ...options,
  });
  return { gate, ran, diagnostics };
}
