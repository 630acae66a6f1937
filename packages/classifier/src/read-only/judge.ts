import type { Argument } from '../bash/expand.ts';
import { awk } from './awk.ts';
import * as builtins from './builtins.ts';
import { find } from './find.ts';
import { git } from './git.ts';
import { jq } from './jq.ts';
import { parseOptions } from './options.ts';
import { sed } from './sed.ts';
import { checkerOf, type Spec } from './spec.ts';
import { fileCommands } from './tables/files.ts';
import { systemCommands } from './tables/system.ts';
import { textCommands } from './tables/text.ts';
import { date, fd, ps, rg, tar } from './tools.ts';
import {
  literal,
  readOnly,
  unknown,
  writes,
  type Checker,
  type Context,
  type Verdict,
} from './verdict.ts';

const specs: Readonly<Record<string, Spec>> = {
  ...textCommands,
  ...fileCommands,
  ...systemCommands,
};

/** Commands of the shell itself: a file of that name in a system folder is something else. */
const ownCommands: Readonly<Record<string, Checker>> = {
  ':': builtins.colon,
  cd: builtins.cd,
  read: builtins.read,
  set: builtins.set,
  exit: builtins.leave,
  return: builtins.leave,
  break: builtins.leave,
  continue: builtins.leave,
};
const programs: Readonly<Record<string, Checker>> = {
  ...Object.fromEntries(Object.entries(specs).map(([name, spec]) => [name, checkerOf(spec)])),
  '[': builtins.bracket,
  awk,
  date,
  echo: builtins.echo,
  fd,
  fdfind: fd,
  find,
  gawk: awk,
  git,
  jq,
  mawk: awk,
  nawk: awk,
  printf: builtins.printf,
  ps,
  rg,
  sed,
  tar,
  tee: builtins.tee,
  test: builtins.test,
};
const systemFolders = /^\/(?:usr\/)?s?bin\//;
/** Known to write; anything not listed anywhere is merely unknown. */
const writers = new Set(
  'rm rmdir mv cp mkdir touch ln chmod chown chgrp tee dd truncate shred install unlink mktemp patch rsync kill pkill killall'.split(
    ' ',
  ),
);

/** True for a name that is judged here and cannot be described anew. */
export const isJudged = (name: string): boolean =>
  Object.hasOwn(ownCommands, name) || Object.hasOwn(programs, name) || writers.has(name);

/** Tells whether a command only reads. Everything that is not proved is `unknown`. */
export function judge(words: readonly Argument[], context: Context): Verdict {
  const [first, ...rest] = words;
  const trouble = words.find((word) => word.trouble !== undefined)?.trouble;
  if (trouble !== undefined) return unknown(trouble);
  const written = literal(first);
  if (written === undefined || !first) return unknown('The name of the command is not known.');
  const folder = systemFolders.exec(written)?.[0];
  const name = folder ? written.slice(folder.length) : written;
  if (context.depth < 8 && (folder === undefined || name !== 'command')) {
    const wrapped = judgeWrapper(name, rest, context);
    if (wrapped) return wrapped;
  }
  if (folder === undefined && Object.hasOwn(ownCommands, name))
    return ownCommands[name]?.(rest, context) ?? unknown('');
  if (Object.hasOwn(programs, name)) return programs[name]?.(rest, context) ?? unknown('');
  const added = context.added?.(name, rest, context);
  if (added) return added;
  return writers.has(name)
    ? writes(`${name} changes files or processes.`)
    : unknown(`${name} is not known to be read-only.`);
}

const wrapperRules = {
  timeout: {
    leading: true,
    options: '-k: -s: -v --kill-after: --signal: --preserve-status --foreground --verbose',
  },
  nice: { leading: true, number: true, options: '-n: --adjustment:' },
  xargs: {
    leading: true,
    options: `-0 -r -t -x -n: -L: -I: -P: -d: -s: -E: --null --no-run-if-empty --verbose --max-args: --max-lines: --max-procs:
      --max-chars: --delimiter: --replace? --exit`,
  },
} as const;

/** Looks through the wrappers that change nothing about what a reader does. */
function judgeWrapper(
  name: string,
  words: readonly Argument[],
  context: Context,
): Verdict | undefined {
  const inner = { ...context, depth: context.depth + 1 };
  if (name === 'command' || name === 'builtin') {
    const option = literal(words[0]) ?? '';
    if (name === 'command' && /^-[vV]$/.test(option)) return readOnly();
    const rest =
      option === '--' || (name === 'command' && option === '-p') ? words.slice(1) : words;
    return rest.length === 0 ? readOnly() : judge(rest, inner);
  }
  if (name !== 'timeout' && name !== 'nice' && name !== 'xargs') return undefined;
  const parsed = parseOptions(words, wrapperRules[name]);
  if (typeof parsed === 'string') return unknown(parsed);
  const skipped = name === 'timeout' ? 1 : 0;
  if (parsed.operands.slice(0, skipped).some((word) => word.many))
    return unknown('A value is not known.');
  const command = parsed.operands.slice(skipped);
  if (name === 'xargs') {
    const place = parsed.options.find((option) => /^(?:-I|--replace)$/.test(option.name));
    const mark = place && (literal(place.value) ?? '{}');
    // What is filled in beside a dot may go up.
    if (mark !== undefined && command.some((word) => mayClimb(literal(word) ?? '', mark)))
      return unknown('What xargs fills in may lead outside.');
    return judgeXargs(command, inner);
  }
  if (command.length === 0) return skipped > 0 ? unknown('There is no command.') : readOnly();
  // These start a program: the shell's own commands are not found.
  if (Object.hasOwn(ownCommands, literal(command[0]) ?? ''))
    return unknown('The shell does not run this itself.');
  return judge(command, inner);
}

const mayClimb = (text: string, mark: string): boolean =>
  text.split(mark).length > 1 &&
  (text.includes('..') || text.includes(`.${mark}`) || text.includes(`${mark}.`)) &&
  text !== mark;

/** Words from standard input may be options, so only a command without risky ones may take them. */
function judgeXargs(command: readonly Argument[], context: Context): Verdict {
  const name = literal(command[0])?.replace(systemFolders, '');
  if (name === undefined)
    return command.length === 0
      ? readOnly({ readsInput: true })
      : unknown('The command is not known.');
  const safe = name === 'echo' || (Object.hasOwn(specs, name) && specs[name]?.safe === true);
  if (!safe) return unknown('xargs may add options to it.');
  const verdict = judge(command, context);
  if (verdict.answer !== 'read-only') return verdict;
  const spec = specs[name];
  const opens = spec && spec.operands !== 'words';
  const reads = opens
    ? [
        ...verdict.reads.map((read) => ({ ...read, open: true })),
        {
          content: spec.operands !== 'names',
          open: true,
          anywhere: context.input.outside === true,
        },
      ]
    : verdict.reads;
  return { ...verdict, reads, readsInput: true };
}
