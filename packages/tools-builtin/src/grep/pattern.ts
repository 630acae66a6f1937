import vm from 'node:vm';
import { systemCode } from '../files/judged-path.ts';

/** How long one file may take a pattern that can backtrack, in milliseconds. */
const fileLimitMs = 2_000;

/**
 * Compiles a pattern of the model. Inline flags at the start, as ripgrep has them (`(?i)`), become flags.
 * @throws SyntaxError when it is not a regular expression.
 */
export function compilePattern(
  pattern: string,
  { ignoreCase, multiline }: { readonly ignoreCase: boolean; readonly multiline: boolean },
): RegExp {
  const inline = /^\(\?([ims]+)\)/.exec(pattern);
  const flags = new Set(`g${ignoreCase ? 'i' : ''}${multiline ? 'ms' : ''}${inline?.[1] ?? ''}`);
  const body = pattern.slice(inline?.[0].length ?? 0);
  if (/\\[pP]\{|\\u\{/.test(body)) flags.add('u');
  return new RegExp(body, [...flags].join(''));
}

/** One quantifier, and none on a group, takes time in proportion to the line at its best starts. */
export const mayBacktrack = ({ source }: RegExp): boolean =>
  /[)][*+{]/.test(source) ||
  /\\[1-9]/.test(source) ||
  (source.match(/(?<!\\)[*+{]/g)?.length ?? 0) > 1;

/** A pattern took too long on a file. */
export class PatternTooSlow extends Error {}

/** Runs functions with a time limit that also stops a regular expression in the middle. */
export class TimeBox {
  readonly #context = vm.createContext({ run: undefined });
  readonly #script = new vm.Script('run()');

  /** @throws PatternTooSlow after two seconds. */
  run<T>(work: () => T): T {
    let result: { readonly value: T } | undefined;
    this.#context['run'] = () => {
      result = { value: work() };
    };
    try {
      this.#script.runInContext(this.#context, { timeout: fileLimitMs });
    } catch (error) {
      if (systemCode(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw new PatternTooSlow();
      throw error;
    }
    if (!result) throw new PatternTooSlow();
    return result.value;
  }
}
