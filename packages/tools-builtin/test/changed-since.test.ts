import { rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { allow, createToolgate, definePlugin, type ToolUse } from '@toolgate/core';
import { builtinTools } from '@toolgate/tools-builtin';
import { expect, onTestFinished, test } from 'vitest';
import { project } from './helpers.ts';

let ids = 0;
const toolUse = (name: string, input: object): ToolUse => ({
  type: 'tool_use',
  id: `toolu_${(ids += 1)}`,
  name,
  input,
});

/** A gate in which something happens between the decision and the use. */
async function gateWith(between: (cwd: string) => Promise<unknown>) {
  const cwd = await project({ 'in/a.txt': 'text', 'out/a.txt': 'secret' });
  let happens = false;
  const plugin = definePlugin({
    name: 'between',
    setup(gate) {
      gate.hooks.execute.tap('between', async () => {
        if (happens) await between(cwd);
        return undefined;
      });
    },
  });
  const gate = createToolgate({
    tools: builtinTools,
    cwd,
    plugins: [plugin()],
    permissions: () => allow('test', 'all'),
  });
  onTestFinished(() => gate.close());
  await gate.run(toolUse('Read', { file_path: 'in/a.txt' }));
  happens = true;
  return gate;
}

const swapped = async (cwd: string) => {
  await rename(join(cwd, 'in'), join(cwd, 'away'));
  await symlink(join(cwd, 'out'), join(cwd, 'in'));
};
const calls = {
  Read: { file_path: 'in/a.txt' },
  Write: { file_path: 'in/a.txt', content: 'new' },
  Edit: { file_path: 'in/a.txt', old_string: 'text', new_string: 'new' },
  Glob: { pattern: '*', path: 'in' },
  Grep: { pattern: '.', path: 'in' },
};

test.each(Object.entries(calls))(
  '%s refuses a folder that became a link after the decision',
  async (name, input) => {
    const gate = await gateWith(swapped);

    const { outcome, code, block } = await gate.run(toolUse(name, input));

    expect([outcome, code]).toEqual(['refused', 'changed_since_approval']);
    expect(block.content).toMatch(/changed since it was approved; try again\.<\/tool_use_error>$/);
  },
);

test('Edit refuses a file that was written to after the decision', async () => {
  const gate = await gateWith((cwd) => writeFile(join(cwd, 'in/a.txt'), 'text and more'));

  const { outcome, code, block } = await gate.run(toolUse('Edit', calls.Edit));

  expect([outcome, code]).toEqual(['refused', 'changed_since_approval']);
  expect(block.content).toContain('has changed since it was read. Read it again, then try again.');
});
