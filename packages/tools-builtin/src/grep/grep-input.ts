import type { ToolUseContext, ValidationResult } from '@toolgate/core';
import { z } from 'zod';
import { globProblem } from '../search/check-pattern.ts';
import { findSearcher, type SearchOptions } from '../search/find-ripgrep.ts';
import { PatternRefused, runRipgrep } from '../search/run-ripgrep.ts';
import { endingsOf, typeNames } from './file-types.ts';
import { compilePattern } from './pattern.ts';

const lines = (text: string) => z.int().nonnegative().optional().describe(text);

export const inputSchema = z.strictObject({
  pattern: z.string().min(1).describe('A regular expression'),
  path: z.string().min(1).optional().describe('File or folder, the working directory by default'),
  glob: z.string().min(1).optional().describe('Only files like this, such as *.ts or src/**/*.ts'),
  type: z
    .string()
    .optional()
    .describe(`Only files of a kind: ${typeNames.join(', ')}`),
  output_mode: z
    .enum(['content', 'files_with_matches', 'count'])
    .optional()
    .describe('content: lines; files_with_matches: paths (default); count: matching lines a file'),
  '-A': lines('Lines to show after each match, with content'),
  '-B': lines('Lines to show before each match, with content'),
  '-C': lines('Lines to show around each match, with content'),
  context: lines('The same as -C'),
  '-n': z.boolean().optional().describe('Line numbers, with content. Default true'),
  '-i': z.boolean().optional().describe('Upper and lower case are the same'),
  '-o': z.boolean().optional().describe('Only the part that matches, with content'),
  multiline: z.boolean().optional().describe('The pattern may match across lines; . matches them'),
  head_limit: lines('Most lines or files in the result, 250 by default; 0: all'),
  offset: lines('Lines or files to leave out at the start'),
});

export type GrepInput = z.output<typeof inputSchema>;
export type GrepMode = NonNullable<GrepInput['output_mode']>;

/** Codes: 1 pattern, 2 glob, 3 type. */
export async function checkGrepInput(
  input: GrepInput,
  context: ToolUseContext,
  options: SearchOptions,
): Promise<ValidationResult> {
  const why = await patternProblem(input, context, options);
  if (why !== undefined)
    return { result: false, message: `The pattern cannot be used. ${why}.`, errorCode: 1 };
  const problem = globsOf(input).map(globProblem).find(Boolean);
  if (problem) return { result: false, message: problem, errorCode: 2 };
  if (input.type !== undefined && !endingsOf(input.type))
    return {
      result: false,
      message: `Unknown type "${input.type}". Known: ${typeNames.join(', ')}.`,
      errorCode: 3,
    };
  return { result: true };
}

/** Why neither JavaScript nor ripgrep can read the pattern; undefined when one can. */
async function patternProblem(
  input: GrepInput,
  context: ToolUseContext,
  options: SearchOptions,
): Promise<string | undefined> {
  try {
    patternOf(input);
    return undefined;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const { path } = await findSearcher(context, options);
    if (path === undefined || input.pattern.includes('\0')) return why;
    const args = ['--quiet', '--engine=auto', `--regexp=${input.pattern}`, '-'];
    try {
      const run = runRipgrep({ path, args, separator: 10, signal: context.signal });
      while (!(await run.next()).done); // Its standard input is empty.
      return undefined;
    } catch (refused) {
      if (refused instanceof PatternRefused) return why;
      throw refused;
    }
  }
}

export const patternOf = (input: GrepInput): RegExp =>
  compilePattern(input.pattern, {
    ignoreCase: input['-i'] ?? false,
    multiline: input.multiline ?? false,
  });

/** The globs of the input, parted by white space; a leading `!` leaves files out. */
export const globsOf = ({ glob }: GrepInput): readonly string[] =>
  glob?.split(/\s+/).filter(Boolean) ?? [];

/** Which files are searched, by their path below the root. */
export async function fileFilter(input: GrepInput): Promise<(relative: string) => boolean> {
  const endings = input.type === undefined ? undefined : endingsOf(input.type);
  const globs = globsOf(input);
  const { default: picomatch } = await import('picomatch');
  const compile = (glob: string) => picomatch(glob.replace(/^(\.\/)+/, ''), globOptions(glob));
  const wanted = globs.filter((glob) => !glob.startsWith('!')).map(compile);
  const unwanted = globs
    .filter((glob) => glob.startsWith('!'))
    .map((glob) => compile(glob.slice(1)));
  return (relative) =>
    (!endings || endings.some((ending) => relative.endsWith(`.${ending}`))) &&
    (wanted.length === 0 || wanted.some((matches) => matches(relative))) &&
    !unwanted.some((matches) => matches(relative));
}

/** Without a slash a glob is about the file's name, as in ripgrep. */
const globOptions = (glob: string) => ({ dot: true, basename: !glob.includes('/') });

/** Globs of file names that ripgrep may look for first; `fileFilter` judges what it finds. */
export function nameGlobs(input: GrepInput): readonly string[] {
  const endings = input.type === undefined ? undefined : endingsOf(input.type);
  if (endings) return endings.map((ending) => `*.${ending}`);
  const wanted = globsOf(input).filter((glob) => !glob.startsWith('!'));
  return wanted.every((glob) => /^[\w.*-]+$/.test(glob)) ? wanted : [];
}
