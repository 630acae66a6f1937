import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { ToolUseContext } from '@toolgate/core';
import { programPath } from '../bash/program-path.ts';

/** Which program a search used: the ripgrep of the package, one on the PATH, or none: a walk in JavaScript. */
export type SearchEngine = 'ripgrep' | 'rg on the PATH' | 'walk';

/** What runs a search. `walk` has no program. */
export interface Searcher {
  readonly engine: SearchEngine;
  readonly path?: string;
}

/** Options of `createGrep` and `createGlob`. */
export interface SearchOptions {
  /** The first of these that is there is used. Default: all three, in this order. */
  readonly engines?: readonly SearchEngine[];
}

const all: readonly SearchEngine[] = ['ripgrep', 'rg on the PATH', 'walk'];

/** Chooses what a search runs on. Never a program of the project's: on the PATH only the system's folders count. */
export async function findSearcher(
  context: ToolUseContext,
  { engines = all }: SearchOptions = {},
): Promise<Searcher> {
  for (const engine of engines) {
    if (engine === 'walk') break;
    const path = engine === 'ripgrep' ? await packaged() : onPath(context);
    if (path !== undefined) return { engine, path };
  }
  return { engine: 'walk' };
}

async function packaged(): Promise<string | undefined> {
  try {
    const { rgPath } = await import('@vscode/ripgrep');
    return isProgram(rgPath) ? rgPath : undefined;
  } catch {
    return undefined; // No build for this system, or optional packages were not installed.
  }
}

function onPath(context: ToolUseContext): string | undefined {
  const place = { ...context, effects: { readOnly: true, units: [] } };
  return programPath(process.env['PATH'] ?? '', 'rg', place)
    .split(delimiter)
    .map((folder) => join(folder, 'rg'))
    .find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
