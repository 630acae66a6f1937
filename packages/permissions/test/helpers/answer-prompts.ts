// A process of its own: lists the prompts at a socket and sends replies that come as JSON Lines on standard input.
import { createInterface } from 'node:readline';
import { connectPrompts } from '../../src/index.ts';

const remote = await connectPrompts(process.argv[2] ?? '');
const print = (value: unknown) => void process.stdout.write(`${JSON.stringify(value)}\n`);
print(await remote.list());
for await (const line of createInterface({ input: process.stdin }))
  print(await remote.answer(JSON.parse(line)));
remote.close();
