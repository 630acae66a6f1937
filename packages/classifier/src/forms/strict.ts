import type { Argument } from '../bash/expand.ts';
import type { SimpleCommand, Word } from '../bash/model.ts';
import type { Visit } from '../bash/walked.ts';
import { isInertForRules } from '../read-only/inert-assignments.ts';
import { parseOptions } from '../read-only/options.ts';
import { literal } from '../read-only/verdict.ts';
import { scriptsOf } from './scripts.ts';
import { wrappers } from './wrappers.ts';

/** The form of a command that allow rules read. */
export interface StrictForm {
  /** Source words without inert assignments, transparent wrappers and redirects, joined by single blanks. */
  readonly content: string;
  /** The same with assignments and wrappers. */
  readonly exact: string;
  readonly allowBy: 'pattern' | 'exact';
  /** `content` without quotes that change nothing; absent where that is the same. */
  readonly unquoted?: string;
  /** The words of the command itself, behind the wrappers that were looked past. */
  readonly words: readonly Argument[];
}

/** Makes the strict form. What runs something that its first words do not name is allowed by exact rules only. */
export function strictForm(command: SimpleCommand, visit: Visit | undefined): StrictForm {
  const sources = command.words.map((word) => joined(word.text));
  const assignments = command.assignments.map((one) => joined(one.text));
  const exact = [...assignments, ...sources].join(' ');
  const kept = command.assignments.every(isInertForRules) ? [] : command.assignments;
  if (!visit || kept.length > 0 || visit.arguments.length !== command.words.length) {
    const shown = command.assignments
      .filter((one) => kept.length > 0 && !isInertForRules(one))
      .map((one) => joined(one.text));
    const plain = visit !== undefined && kept.length === 0 && isPattern(visit.arguments, visit);
    // Brace expressions make more words than were written; the first must still be a plain name.
    return {
      content: [...shown, ...sources].join(' ') || exact,
      exact,
      allowBy: plain && isPlainName(command.words[0]) ? 'pattern' : 'exact',
      words: visit?.arguments ?? [],
    };
  }
  const { skipped, appended } = lookThrough(visit.arguments);
  const words = visit.arguments.slice(skipped);
  const content = [...sources.slice(skipped), ...(appended ? ['…'] : [])].join(' ');
  const unquoted = appended ? content : withoutIdleQuotes(words, sources.slice(skipped));
  return {
    content,
    exact,
    allowBy: isPattern(words, visit) ? 'pattern' : 'exact',
    ...(unquoted !== content && { unquoted }),
    words,
  };
}

/** Words are compared by value where that is the same to a shell: letters, digits and a few signs. */
function withoutIdleQuotes(words: readonly Argument[], sources: readonly string[]): string {
  return sources
    .map((source, index) => {
      const word = words[index];
      const value = word?.constant ? literal(word) : undefined;
      const isPlain = index === 0 ? /^[\w@%+:,./-]+$/ : /^[\w@%+=:,./-]+$/;
      return value !== undefined && isPlain.test(value) ? value : source;
    })
    .join(' ');
}

/** Joins line continuations; inside single quotes there are none. */
function joined(source: string): string {
  return source.includes('\\\n')
    ? source.replaceAll(/'[^']*'|\\\n|\\[\s\S]|[^'\\]+/g, (part) => (part === '\\\n' ? '' : part))
    : source;
}

const isPlainName = (word: Word | undefined): boolean =>
  word !== undefined && word.pieces.every((piece) => piece.kind === 'text');

/** Counts the leading words that are transparent wrappers with their options. */
function lookThrough(words: readonly Argument[]): {
  readonly skipped: number;
  readonly appended: boolean;
} {
  let skipped = 0;
  let appended = false;
  for (;;) {
    const rest = words.slice(skipped + 1);
    const first = words[skipped];
    const name = first?.constant ? literal(first) : undefined;
    if (name === 'xargs' && rest[0]?.constant && !literal(rest[0])?.startsWith('-')) {
      // Words from standard input follow: a rule for exactly these words does not mean them.
      appended = true;
      skipped += 1;
      continue;
    }
    const wrapper =
      name !== undefined && Object.hasOwn(wrappers, name) ? wrappers[name] : undefined;
    if (!wrapper?.transparent) return { skipped, appended };
    const parsed = parseOptions(rest, wrapper);
    if (typeof parsed === 'string') return { skipped, appended };
    const inner = parsed.operands.slice(wrapper.operands ?? 0);
    if (inner.length === 0) return { skipped, appended };
    skipped = words.length - inner.length;
  }
}

const runsInside = /^(?:-exec|-execdir|-ok|-okdir|-delete|-fls|-fprint|-fprint0|-fprintf)$/;

function isPattern(words: readonly Argument[], visit: Visit): boolean {
  const [first, ...rest] = words;
  const written = literal(first);
  if (!first?.constant || written === undefined) return false;
  const name = written.slice(written.lastIndexOf('/') + 1);
  if (name === 'command' && /^-[vV]$/.test(literal(rest[0]) ?? '')) return true;
  if (Object.hasOwn(wrappers, name) && name !== 'nocorrect') return false;
  if (
    name === 'find' &&
    rest.some((word) => word.trouble !== undefined || runsInside.test(literal(word) ?? ''))
  )
    return false;
  if (
    /^(?:fd|fdfind)$/.test(name) &&
    rest.some((word) => /^(?:-x|-X|--exec|--exec-batch)$/.test(literal(word) ?? ''))
  )
    return false;
  if (name === 'eval' || name === 'trap') return false;
  // A remote shell is its own command; its words are matched as they stand.
  return name === 'ssh' || scriptsOf(name, rest, visit.input) === undefined;
}
