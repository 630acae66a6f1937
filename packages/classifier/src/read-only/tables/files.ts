import { has, type ParsedOptions } from '../options.ts';
import type { Spec } from '../spec.ts';

const readable: Spec = {
  options:
    '-c -d -k -l -t -v -q -f -n --stdout --to-stdout --decompress --uncompress --list --test --keep --verbose --quiet --force --no-name',
};
const toOutput = (parsed: ParsedOptions) =>
  has(parsed, '-c', '--stdout', '--to-stdout', '-l', '--list', '-t', '--test')
    ? undefined
    : 'Without -c, -l or -t it replaces the file.';
const unpacked: Spec = { options: '-f -q -v -d -k --force --quiet --verbose --keep' };

/** Commands that show facts about files, or unpack them to standard output. */
export const fileCommands: Readonly<Record<string, Spec>> = {
  ls: {
    safe: true,
    operands: 'names',
    folder: true,
    options: `-a -A -b -B -c -C -d -D -f -F -g -G -h -H -i -I: -k -l -L -m -n -N -o -p -q -Q -r -R! -s -S -t -T: -u -U -v -w:
      -x -X -Z -1 --all --almost-all --author --escape --block-size: --ignore-backups --color? --directory --dired
      --classify? --file-type --format: --full-time --group-directories-first --no-group --human-readable --si
      --dereference-command-line --dereference-command-line-symlink-to-dir --hide: --hyperlink? --indicator-style: --inode
      --ignore: --kibibytes --dereference --numeric-uid-gid --literal --hide-control-chars --show-control-chars
      --quote-name --quoting-style: --reverse --recursive! --size --sort: --time: --time-style: --tabsize: --width:
      --context --zero --help --version`,
  },
  dir: { safe: true, operands: 'names', folder: true, options: '-a -A -h -l -1 -t -r -S -R!' },
  stat: {
    safe: true,
    operands: 'names',
    options:
      '-L -f -c: -t --dereference --file-system --cached: --format: --printf: --terse --help --version',
  },
  // Not -p: it sets the time of access back, and with that the time of change.
  file: {
    options:
      '-b -h -i -k -L -n -N -r -E -0 -F: --brief --mime --mime-type --mime-encoding --no-dereference --keep-going --dereference --no-buffer --no-pad --raw --extension --print0 --separator: --help --version',
  },
  du: {
    safe: true,
    operands: 'names',
    folder: true,
    options: `-0 -a -A -b -B: -c -d: -D -h -H -k -l -L -m -P -s -S -t: -x --null --all --apparent-size --block-size: --bytes
      --total --max-depth: --dereference-args --human-readable --inodes --count-links --dereference --no-dereference
      --separate-dirs --si --summarize --threshold: --time? --time-style: --exclude: --one-file-system --help --version`,
  },
  df: {
    safe: true,
    operands: 'words',
    options:
      '-a -B: -h -H -i -k -l -P -t: -T -x: --all --block-size: --human-readable --si --inodes --local --no-sync --output? --portability --total --type: --print-type --exclude-type: --help --version',
  },
  tree: {
    operands: 'names',
    folder: true,
    open: true,
    options: `-a -d -f -i -l -x -L: -P: -I: -p -u -g -s -h -D -F -q -N -Q -C -n -A -S -r -t -c -U -v -J -X --noreport
      --dirsfirst --filesfirst --filelimit: --charset: --gitignore --prune --du --si --inodes --device --sort?
      --matchdirs --ignore-case --timefmt: --help --version`,
  },
  realpath: {
    safe: true,
    operands: 'names',
    options:
      '-e -m -L -P -q -s -z --canonicalize-existing --canonicalize-missing --logical --physical --quiet --relative-to: --relative-base: --strip --no-symlinks --zero --help --version',
  },
  readlink: {
    safe: true,
    operands: 'names',
    options:
      '-f -e -m -n -q -s -v -z --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero --help --version',
  },
  basename: {
    safe: true,
    operands: 'words',
    options: '-a -s: -z --multiple --suffix: --zero --help --version',
  },
  dirname: { safe: true, operands: 'words', options: '-z --zero --help --version' },
  zcat: unpacked,
  bzcat: unpacked,
  xzcat: unpacked,
  gzip: { ...readable, refuse: toOutput },
  gunzip: { ...readable, refuse: toOutput },
  bzip2: { ...readable, refuse: toOutput },
  bunzip2: { ...readable, refuse: toOutput },
  unzip: {
    options: '-l -v -t -q -p -c -z -C -Z -1 -x:',
    refuse: (parsed) =>
      has(parsed, '-l', '-v', '-t', '-p', '-c', '-z', '-Z') ? undefined : 'It unpacks files.',
  },
  zipinfo: { options: '-1 -2 -s -m -l -v -h -t -T -z' },
};
