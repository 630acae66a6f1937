import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { messageOf, type ToolgateOptions } from '@toolgate/core';
import { say } from './output.ts';
import { UsageError } from './usage-error.ts';

/** Loads the module that `--config` names; it is never looked for by itself. Its path goes to standard error. */
export async function loadConfig(
  file: string,
  tell: (text: string) => void = say,
): Promise<ToolgateOptions> {
  const path = resolve(file);
  if (!(await stat(path).catch(() => undefined))?.isFile())
    throw new UsageError(`--config ${file}: there is no such file`);
  tell(`config: ${path}`);
  const module = await importFile(path, file);
  const options = module['default'];
  if (typeof options !== 'object' || options === null)
    throw new UsageError(
      `--config ${file}: its default export must be the options of createToolgate`,
    );
  return options as ToolgateOptions; // createToolgate refuses what is none, key by key
}

async function importFile(path: string, file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const module: Readonly<Record<string, unknown>> = await import(pathToFileURL(path).href);
    return module;
  } catch (thrown) {
    throw new UsageError(
      `--config ${file}: ${messageOf(thrown).split('\n', 1)[0] ?? 'it cannot be loaded'}`,
    );
  }
}
