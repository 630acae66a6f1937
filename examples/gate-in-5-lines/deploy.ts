import { buildTool } from '@toolgate/core';
import { z } from 'zod';

/** Stands in for a tool that ships software somewhere. */
export const deploy = buildTool({
  name: 'Deploy',
  description: 'Deploys the current build.',
  inputSchema: z.object({ to: z.enum(['staging', 'production']) }),
  call: ({ to }) => ({ data: `deployed to ${to}` }),
});
