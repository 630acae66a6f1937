// A prompt is answered in another process: it sees the list, and needs id, digest and the code that only the
// person was shown.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildTool, createToolgate } from '@toolgate/core';
import { createPromptBroker, promptText, servePrompts } from '@toolgate/permissions';
import { z } from 'zod';

const deploy = buildTool({
  name: 'Deploy',
  description: 'Deploys the current build.',
  inputSchema: z.object({ to: z.string() }),
  call: ({ to }) => ({ data: `deployed to ${to}` }),
});

const folder = mkdtempSync(join(tmpdir(), 'approve-'));
const socket = join(folder, 'prompts');
const broker = createPromptBroker({
  onOpen({ prompt, code }) {
    console.log(promptText(prompt));
    const script = fileURLToPath(new URL('answer.ts', import.meta.url));
    spawn(process.execPath, [...process.execArgv, script, socket, code], { stdio: 'inherit' });
  },
});
const served = await servePrompts(broker, socket);
const gate = createToolgate({ tools: [deploy], dialog: broker.dialog });

const outcome = await gate.run({
  type: 'tool_use',
  id: 'toolu_1',
  name: 'Deploy',
  input: { to: 'staging' },
});
assert.deepEqual([outcome.outcome, outcome.block.content], ['ok', 'deployed to staging']);
await gate.close();
await served.close();
rmSync(folder, { recursive: true });
console.log('approve elsewhere: another process said yes, and the call ran');
