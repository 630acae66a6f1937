// For `toolgate run --config`: the default export is the options of createToolgate, so everything can
// be replaced. Here the gate is a function of one's own, and no settings file is read.
import { allow, deny, isCallOf } from '@toolgate/core';
import { bash, glob, grep, read } from '@toolgate/tools-builtin';

const commands = ['node --version', 'npm test', 'npm run build'];

/** @type {import('@toolgate/core').PermissionBackend} */
const permissions = (call) => {
  if (!isCallOf(bash, call)) return undefined; // the reading tools know where they may read
  return commands.includes(call.input.command)
    ? allow('It is one of the commands of this project.', 'all')
    : deny(`Only these commands run here: ${commands.join(', ')}.`);
};

/** @type {import('@toolgate/core').ToolgateOptions} */
export default { tools: [bash, read, glob, grep], permissions };
