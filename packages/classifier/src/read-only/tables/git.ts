import type { Argument } from '../../bash/expand.ts';
import { has, type ParsedOptions } from '../options.ts';

/** A read-only form of a git subcommand. */
export interface GitSpec {
  readonly options: string;
  readonly refuse?: (parsed: ParsedOptions) => string | undefined;
  /** Whether it prints what is in files of the work tree or its history. */
  readonly content?: boolean | ((parsed: ParsedOptions) => boolean);
  /** Operands that are files or folders and need not be in the repository. */
  readonly files?: (parsed: ParsedOptions) => readonly Argument[];
  /** It works by a verb: the word behind the subcommand must be one of these, as git reads no other place. */
  readonly verbs?: readonly string[];
}

const diff = `-p -u --patch -s --no-patch -U: --unified: --raw --minimal --patience --histogram --diff-algorithm: --anchored:
  --stat? --numstat --shortstat --dirstat? --summary --compact-summary --name-only --name-status --color? --no-color
  --color-moved? --word-diff? --color-words? --word-diff-regex: --no-renames --check --full-index --binary --abbrev?
  --find-renames? --find-copies? --find-copies-harder -M? -C? -B? -D --irreversible-delete -l: --diff-filter: -S: -G:
  --pickaxe-all --pickaxe-regex -R --relative? --no-relative -a --text --ignore-space-at-eol -b --ignore-space-change -w
  --ignore-all-space --ignore-blank-lines --ignore-cr-at-eol --inter-hunk-context: -W --function-context --exit-code
  --quiet --no-ext-diff --no-textconv --ignore-submodules? --src-prefix: --dst-prefix: --no-prefix -z --patch-with-stat
  --patch-with-raw --indent-heuristic --no-indent-heuristic -r -t`;
const log = `${diff} --oneline --graph --all --branches? --tags? --remotes? --glob: --exclude: --decorate? --no-decorate
  --decorate-refs: --decorate-refs-exclude: -n: --max-count: --skip: --since: --after: --until: --before: --author:
  --committer: --grep: -i --regexp-ignore-case -E --extended-regexp -F --fixed-strings -P --perl-regexp --all-match
  --invert-grep --merges --no-merges --min-parents: --max-parents: --first-parent --reverse --follow --pretty? --format?
  --abbrev-commit --no-abbrev-commit --date: --relative-date --date-order --topo-order --author-date-order --left-right
  --left-only --right-only --cherry-pick --cherry-mark --cherry --boundary --full-history --dense --sparse
  --simplify-merges --simplify-by-decoration --ancestry-path -L: -c --cc -m --no-walk? --source --parents --children
  --show-pulls --notes? --no-notes --encoding: -g --walk-reflogs --reflog --not --no-expand-tabs --expand-tabs?
  --use-mailmap --no-mailmap --log-size --count --objects --timestamp --no-commit-id`;

// A signature is checked by a program that the configuration names.
const format = (parsed: ParsedOptions): string | undefined =>
  parsed.options.some(
    ({ name, value }) =>
      /^--(?:pretty|format|sort)$/.test(name) &&
      value !== undefined &&
      ((value.kind !== 'literal' && value.kind !== 'set') ||
        value.texts.some((text) => /%[+\- ]?G|signature/i.test(text))),
  )
    ? 'The format may check signatures.'
    : undefined;

const patch = (parsed: ParsedOptions): boolean =>
  has(
    parsed,
    '-p',
    '-u',
    '--patch',
    '-U',
    '--unified',
    '-L',
    '-c',
    '--cc',
    '-S',
    '-G',
    '-W',
    '--function-context',
    '--word-diff',
    '--color-words',
    '--word-diff-regex',
    '--patch-with-stat',
    '--patch-with-raw',
    '--binary',
    '--check',
  );
const patchByDefault = (parsed: ParsedOptions): boolean =>
  patch(parsed) ||
  !has(
    parsed,
    '-s',
    '--no-patch',
    '--name-only',
    '--name-status',
    '--stat',
    '--numstat',
    '--shortstat',
    '--dirstat',
    '--summary',
    '--raw',
    '--quiet',
  );

/** Without one of these names, an operand of a listing command creates something. */
const listingOnly =
  (...names: readonly string[]) =>
  (parsed: ParsedOptions): string | undefined =>
    format(parsed) ??
    (parsed.operands.length > 0 && !has(parsed, ...names)
      ? 'An operand makes it create something.'
      : undefined);

const first = (parsed: ParsedOptions, index = 0): string | undefined =>
  parsed.operands[index]?.kind === 'literal' ? parsed.operands[index].texts[0] : undefined;

export const gitCommands: Readonly<Record<string, GitSpec>> = {
  status: {
    options: `-s -b -v -z -u? --short --branch --show-stash --porcelain? --long --verbose --untracked-files? --ignored?
      --ignore-submodules? --column? --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames?`,
    content: (parsed) => has(parsed, '-v', '--verbose'),
  },
  diff: {
    options: `${diff} --cached --staged --merge-base --no-index --ita-invisible-in-index`,
    content: patchByDefault,
    // Two paths of which one lies outside are compared whether or not git knows them.
    files: (parsed) =>
      has(parsed, '--no-index') || parsed.operands.length > 1
        ? parsed.operands
        : parsed.operands.filter((operand) => operand.many),
  },
  log: { options: log, refuse: format, content: patch },
  show: { options: log, refuse: format, content: patchByDefault },
  shortlog: { options: `${log} -s -n -e --numbered --email --group:`, refuse: format },
  'rev-list': {
    options: `${log} --header --disk-usage? --max-age: --min-age: --no-object-names`,
    refuse: format,
  },
  'rev-parse': {
    options: `--show-toplevel --show-prefix --show-cdup --git-dir --git-common-dir --absolute-git-dir --is-inside-work-tree
      --is-inside-git-dir --is-bare-repository --is-shallow-repository --abbrev-ref? --short? --verify -q --quiet --symbolic
      --symbolic-full-name --branches? --tags? --remotes? --all --show-object-format --show-superproject-working-tree
      --path-format: --git-path: --revs-only --no-revs --flags --no-flags --not --default: --sq --local-env-vars`,
  },
  branch: {
    options: `-a -r -v -q -i --list --all --remotes --verbose --show-current --color? --no-color --column? --no-column --sort:
      --format: --contains --no-contains --merged --no-merged --points-at: --ignore-case --abbrev? --no-abbrev`,
    refuse: listingOnly(
      '--list',
      '--contains',
      '--no-contains',
      '--merged',
      '--no-merged',
      '--points-at',
    ),
  },
  tag: {
    options:
      '-l -i -n? --list --sort: --contains --no-contains --merged --no-merged --points-at: --format: --column? --no-column --color? --ignore-case',
    refuse: listingOnly(
      '-l',
      '--list',
      '--contains',
      '--no-contains',
      '--merged',
      '--no-merged',
      '--points-at',
    ),
  },
  remote: {
    options: '-v --verbose --all --push',
    refuse: (parsed) =>
      parsed.operands.length === 0 || first(parsed) === 'get-url'
        ? undefined
        : 'This form is not known to be read-only.',
  },
  'ls-files': {
    options: `-c -d -m -o -i -s -u -k -t -v -f -z -x: -X@ --cached --deleted --modified --others --ignored --stage --directory
      --no-empty-directory --unmerged --killed --exclude: --exclude-from@ --exclude-per-directory: --exclude-standard
      --error-unmatch --full-name --abbrev? --eol --deduplicate --format:`,
  },
  'ls-tree': {
    options:
      '-d -r -t -l -z --name-only --name-status --long --abbrev? --full-name --full-tree --format: --object-only',
  },
  blame: {
    options: `-L: -b -c -l -t -s -e -w -f -n -p -C? -M? --root --show-stats --porcelain --line-porcelain --incremental
      --show-name --show-number --show-email --date: --since: --ignore-rev: --color-lines --color-by-age --first-parent
      --reverse --abbrev: --minimal --no-progress`,
    content: true,
  },
  grep: {
    options: `-n -l -L -i -w -v -h -H -E -F -G -P -c -q -o -a -I -r -z -W -p -e: -f@ -A: -B: -C: -m: --cached --untracked
      --no-index --no-exclude-standard --exclude-standard --line-number --files-with-matches --name-only --count
      --ignore-case --word-regexp --extended-regexp --fixed-strings --basic-regexp --perl-regexp --heading --break
      --show-function --function-context --after-context: --before-context: --context: --max-depth: --max-count: --threads:
      --and --or --not --all-match --color? --no-color --column --full-name --quiet --only-matching --invert-match --null`,
    content: true,
    files: (parsed) => (has(parsed, '--no-index') ? parsed.operands : []),
  },
  stash: {
    options: log,
    verbs: ['list', 'show'],
    refuse: format,
    content: (parsed) => first(parsed) === 'show' || patch(parsed),
  },
  reflog: {
    options: log,
    refuse: (parsed) =>
      format(parsed) ??
      (parsed.operands.length === 0 ||
      /^(?:show|list|exists|HEAD(?:@\{.*\})?)$/.test(first(parsed) ?? '')
        ? undefined
        : 'This form is not known to be read-only.'),
    content: patch,
  },
  config: {
    options: `--get --get-all --local --global --system --worktree --show-origin --show-scope --name-only -z --null --type:
      --bool --int --path --includes --no-includes`,
    refuse: (parsed) => {
      if (!has(parsed, '--get', '--get-all')) return 'Without --get it sets or lists settings.';
      const plain = /^[A-Za-z][\w-]*(?:\.[\w/-]+)*\.[A-Za-z][\w-]*$/.test(first(parsed) ?? '');
      const secret = /header|token|password|passwd|credential|secret|proxy|url|auth/i.test(
        first(parsed) ?? '',
      );
      return plain && !secret && parsed.operands.length === 1
        ? undefined
        : 'The setting may hold a secret.';
    },
  },
  'merge-base': { options: '-a --all --octopus --independent --is-ancestor --fork-point' },
  // `--dirty` and `--broken` bring the index up to date, whatever git is told about optional locks.
  describe: {
    options:
      '--all --tags --long --always --contains --abbrev: --match: --exclude: --first-parent --exact-match --candidates:',
  },
  worktree: { options: '-v -z --porcelain --verbose', verbs: ['list'] },
  'cat-file': {
    options:
      '-p -t -s -e --batch? --batch-check? --batch-all-objects --unordered --buffer --follow-symlinks',
    content: true,
  },
  'check-ignore': { options: '-v -q -n -z --stdin --no-index --verbose --quiet --non-matching' },
  'check-attr': { options: '-a -z --all --cached --stdin' },
  'for-each-ref': {
    options:
      '--format: --sort: --count: --points-at: --merged --no-merged --contains --no-contains --ignore-case --exclude: --color?',
    refuse: format,
  },
  'show-ref': {
    options:
      '-d -s -q --head --heads --tags --branches --dereference --hash? --verify --abbrev? --quiet',
  },
  'name-rev': {
    options: '--tags --refs: --exclude: --all --name-only --always --undefined --no-undefined',
  },
  'diff-tree': { options: `${log} --root --stdin`, refuse: format, content: patch },
  'diff-index': { options: `${diff} --cached`, content: patch },
  'diff-files': { options: diff, content: patch },
  'count-objects': { options: '-v -H --verbose --human-readable' },
  'symbolic-ref': {
    options: '-q --quiet --short',
    refuse: (parsed) =>
      parsed.operands.length === 1 && parsed.operands[0]?.many === false
        ? undefined
        : 'A second operand sets the reference.',
  },
  cherry: { options: '-v --abbrev?' },
  version: { options: '' },
};
