import type { Argument } from '../bash/expand.ts';
import { has, parseOptions, type OptionRules, type ParsedOptions } from './options.ts';
import { readOnly, unknown, type Checker, type Read, type Verdict } from './verdict.ts';

/** A command that is read-only with the listed options, described as data. */
export interface Spec extends OptionRules {
  /** What operands are. Default: files whose content is printed. */
  readonly operands?: 'content' | 'names' | 'words';
  /** How many leading operands are no files, such as a pattern. */
  readonly skip?: number;
  /** Options that take the place of those leading operands. */
  readonly skipUnless?: readonly string[];
  readonly most?: number;
  /** Without operands it reads the folder it stands in instead of standard input. */
  readonly folder?: boolean;
  /** It always reads everything below its operands. */
  readonly open?: boolean;
  /** With these options it opens the files that its operands list. */
  readonly follows?: readonly string[];
  /** Names the reason why a parsed call is not read-only. */
  readonly refuse?: (parsed: ParsedOptions) => string | undefined;
}

/** Judges a call of a command by its description. */
export function checkerOf(spec: Spec): Checker {
  return (words) => judgeBySpec(words, spec);
}

function judgeBySpec(words: readonly Argument[], spec: Spec): Verdict {
  const parsed = parseOptions(words, spec);
  if (typeof parsed === 'string') return unknown(parsed);
  const { operands } = parsed;
  if (spec.most !== undefined) {
    if (operands.length > spec.most) return unknown('It has more operands than are harmless.');
    if (operands.some((operand) => operand.many)) return unknown('An operand may become several.');
  }
  const reason = spec.refuse?.(parsed);
  if (reason !== undefined) return unknown(reason);
  if (spec.operands === 'words')
    return readOnly({ reads: parsed.files.map((file) => readOf(file, true)) });
  const skipped = spec.skipUnless && has(parsed, ...spec.skipUnless) ? 0 : (spec.skip ?? 0);
  // What a leading word of unknown length leaves over may be a file.
  const from = operands.slice(0, skipped).some((operand) => operand.many) ? 0 : skipped;
  const targets = operands.slice(from);
  const content = spec.operands !== 'names';
  const open = parsed.open || spec.open === true;
  const reads = [
    ...parsed.files.map((file) => readOf(file, true)),
    ...targets
      .filter((target) => target.texts[0] !== '-' || target.kind !== 'literal')
      .map((target) => readOf(target, content, open)),
    ...(targets.length === 0 && (spec.folder || open) ? [{ content, open } satisfies Read] : []),
    ...(spec.follows && has(parsed, ...spec.follows)
      ? [{ content, open: true, anywhere: true }]
      : []),
  ];
  const readsInput =
    !spec.folder &&
    !open &&
    (targets.length === 0 || targets.some((target) => target.texts[0] === '-'));
  return readOnly({ reads, readsInput });
}

/** A read of one operand. Several possible names make it an open one. */
export function readOf(argument: Argument, content: boolean, open = false): Read {
  return {
    argument,
    content,
    open: open || argument.kind === 'glob' || argument.kind === 'dynamic',
  };
}
