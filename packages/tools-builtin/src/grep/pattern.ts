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

/** About this many steps always end soon enough. */
const fewSteps = 3e8;

/**
 * Whether a pattern could take long on a text. A quantified group or a back reference can on any; else
 * the steps grow with the text's length once for where a match starts and once for each quantifier.
 */
export function mayTakeLong({ source }: RegExp, textLength: number): boolean {
  if (/\\[1-9k]/.test(source)) return true;
  const plain = source.replace(/\\./g, '_');
  if (/\)[*+{]/.test(plain)) return true;
  const quantifiers = plain.match(/[*+{?]/g)?.length ?? 0;
  return textLength ** (quantifiers + 1) > fewSteps;
}

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
