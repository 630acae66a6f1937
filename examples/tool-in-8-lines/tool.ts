import { buildTool } from '@toolgate/core';
import { z } from 'zod';
export const daysBetween = buildTool({
  name: 'DaysBetween',
  description: 'Counts the days from one calendar date to another.',
  inputSchema: z.object({ from: z.iso.date(), to: z.iso.date() }),
  call: ({ from, to }) => ({ data: (Date.parse(to) - Date.parse(from)) / 86_400_000 }),
});
