// The child process of a session. It reads requests as lines of JSON, and tells the end of each by a line that
// starts with the marker it was given.
import { Session, type Runtime } from 'node:inspector/promises';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { inspect } from 'node:util';
import vm from 'node:vm';
import type { ReplAnswer, ReplRequest } from './repl-session.ts';

const marker = process.argv[2] ?? '';
const maxShownChars = 30_000;

process.on('uncaughtException', (error) => console.error(error));
process.on('unhandledRejection', (reason) => console.error(reason));

// The inspector evaluates as a console does: `await` works, and names may be declared again. It knows no
// `import()`; a script does, and finds modules from the working directory.
const loader = { importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER };
const importName = '__toolgateImport';
Object.defineProperty(globalThis, importName, {
  value: vm.runInThisContext('(specifier, options) => import(specifier, options)', loader),
});
const session = new Session();
session.connect();

function cut(text: string): string {
  return text.length <= maxShownChars
    ? text
    : `${text.slice(0, maxShownChars)}… [cut: ${text.length} characters]`;
}

async function evaluate(code: string): Promise<ReplAnswer> {
  const isScript = /\bimport\s*\(/.test(code) && compiles(code);
  const expression = isScript
    ? `${importName}.run(${JSON.stringify(code)})`
    : code.replace(/\bawait(\s+)import(\s*\()/g, `await$1${importName}$2`);
  const request: Runtime.EvaluateParameterType & { readonly replMode: true } = {
    expression,
    replMode: true,
    awaitPromise: true,
  };
  const { result, exceptionDetails } = await session.post('Runtime.evaluate', request);
  if (exceptionDetails) return { error: cut(errorText(exceptionDetails.exception ?? result)) };
  return result.type === 'undefined' ? {} : { value: cut(await shown(result)) };
}

const importer: unknown = Reflect.get(globalThis, importName);
Object.assign(Object(importer), {
  run: (code: string): unknown => vm.runInThisContext(code, { ...loader, filename: 'REPL' }),
});

function compiles(code: string): boolean {
  try {
    return Boolean(new vm.Script(code));
  } catch {
    return false;
  }
}

async function shown({ type, value, ...rest }: Runtime.RemoteObject): Promise<string> {
  if (type === 'string') return String(value);
  if (rest.objectId === undefined) return rest.description ?? String(value);
  if (type === 'symbol') return rest.description ?? 'Symbol()';
  const { result } = await session.post('Runtime.callFunctionOn', {
    objectId: rest.objectId,
    functionDeclaration: `function () { return process.getBuiltinModule('node:util').inspect(this, { depth: 4 }) }`,
    returnByValue: true,
  });
  await session.post('Runtime.releaseObject', { objectId: rest.objectId });
  return typeof result.value === 'string' ? result.value : (rest.description ?? type);
}

/** Without the lines about Node's own files and this one. */
function errorText({ description, value }: Runtime.RemoteObject): string {
  if (description === undefined) return `Uncaught ${inspect(value)}`;
  return description
    .split('\n')
    .filter((line) => !/^ +at .*(node:|repl-worker|new Promise)/.test(line))
    .join('\n');
}

for await (const line of createInterface({ input: process.stdin })) {
  const { code, cwd } = JSON.parse(line) as ReplRequest; // the parent writes no other
  let answer: ReplAnswer;
  try {
    process.chdir(cwd);
    Reflect.set(globalThis, 'require', createRequire(`${cwd}/`));
    answer = await evaluate(code);
  } catch (error) {
    answer = { error: error instanceof Error ? error.message : String(error) };
  }
  process.stderr.write(`${marker}\n`);
  process.stdout.write(`${marker}${JSON.stringify(answer)}\n`);
}
process.exit();
