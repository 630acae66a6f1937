import { connectPrompts } from '@toolgate/permissions';

const [, , socket = '', code = ''] = process.argv;
const prompts = await connectPrompts(socket);
for (const { id, digest } of await prompts.list())
  console.log(await prompts.answer({ id, digest, code, answer: { behavior: 'allow' } }));
prompts.close();
