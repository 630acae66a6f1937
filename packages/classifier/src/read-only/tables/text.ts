import type { Spec } from '../spec.ts';

const sums: Spec = {
  safe: true,
  follows: ['-c', '--check'],
  options:
    '-b -c -t -z -w --check --tag --quiet --status --strict --warn --ignore-missing --binary --text --zero -a: --algorithm:',
};
const grep: Spec = {
  safe: true,
  number: true,
  skip: 1,
  skipUnless: ['-e', '--regexp', '-f', '--file'],
  options: `-E -F -G -P -e: -f@ -i -y -v -w -x -c -l -L -m: -o -q -s -b -H -h -n -T -Z -z -a -I -r! -R! -U -A: -B: -C:
    --extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp: --file@ --ignore-case --no-ignore-case
    --invert-match --word-regexp --line-regexp --count --color? --colour? --files-without-match --files-with-matches
    --max-count: --only-matching --quiet --silent --no-messages --byte-offset --with-filename --no-filename --label:
    --line-number --initial-tab --null --null-data --text --binary-files: --include: --exclude: --exclude-dir:
    --exclude-from@ --recursive! --dereference-recursive! --after-context: --before-context: --context: --line-buffered
    --binary --help --version -V`,
};

/** Commands that print, count or compare text. */
export const textCommands: Readonly<Record<string, Spec>> = {
  cat: {
    safe: true,
    options:
      '-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting --help --version',
  },
  tac: { safe: true, options: '-b -r -s: --before --regex --separator: --help --version' },
  rev: { safe: true, options: '-0 --zero --help --version' },
  nl: {
    safe: true,
    options:
      '-b: -d: -f: -h: -i: -l: -n: -p -s: -v: -w: --body-numbering: --number-format: --number-separator: --number-width: --starting-line-number: --line-increment:',
  },
  head: {
    safe: true,
    number: true,
    options:
      '-n: -c: -q -v -z --lines: --bytes: --quiet --silent --verbose --zero-terminated --help --version',
  },
  tail: {
    safe: true,
    number: true,
    options:
      '-n: -c: -q -v -z -s: --lines: --bytes: --quiet --silent --verbose --zero-terminated --help --version',
  },
  wc: {
    safe: true,
    options:
      '-c -m -l -L -w --bytes --chars --lines --max-line-length --words --total: --help --version',
  },
  grep,
  egrep: grep,
  fgrep: grep,
  cut: {
    safe: true,
    options:
      '-b: -c: -d: -f: -n -s -z --bytes: --characters: --delimiter: --fields: --only-delimited --complement --output-delimiter: --zero-terminated',
  },
  paste: { safe: true, options: '-d: -s -z --delimiters: --serial --zero-terminated' },
  fold: { safe: true, options: '-b -s -w: --bytes --spaces --width:' },
  fmt: {
    safe: true,
    options:
      '-c -s -t -u -w: -g: -p: --crown-margin --split-only --uniform-spacing --width: --goal: --prefix:',
  },
  expand: { safe: true, options: '-i -t: --initial --tabs:' },
  unexpand: { safe: true, options: '-a -t: --all --first-only --tabs:' },
  tr: {
    operands: 'words',
    safe: true,
    options: '-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1',
  },
  column: {
    options:
      '-t -s: -o: -n: -c: -x -e -N: -R: -H: -T: -E: -W: -d -L -J --table --separator: --output-separator: --json --table-columns: --table-right: --table-hide: --output-width: --fillrows',
  },
  comm: {
    safe: true,
    options:
      '-1 -2 -3 -z --check-order --nocheck-order --output-delimiter: --total --zero-terminated',
  },
  join: {
    safe: true,
    options:
      '-a: -e: -i -j: -o: -t: -v: -1: -2: -z --ignore-case --check-order --nocheck-order --header --zero-terminated',
  },
  cmp: {
    safe: true,
    options: '-b -i: -l -n: -s --print-bytes --ignore-initial: --verbose --bytes: --quiet --silent',
  },
  diff: {
    // Of two folders it shows the files in them.
    open: true,
    options: `-a -b -B -c -C: -d -e -E -f -i -I: -n -N -p -q -r! -s -S: -t -T -u -U: -w -W: -x: -X@ -y -Z -H -F: -D:
      --color? --brief --unified? --context? --recursive! --new-file --unidirectional-new-file --ignore-all-space
      --ignore-space-change --ignore-blank-lines --ignore-case --ignore-trailing-space --ignore-tab-expansion
      --ignore-matching-lines: --exclude: --exclude-from@ --side-by-side --width: --suppress-common-lines --left-column
      --strip-trailing-cr --label: --minimal --speed-large-files --report-identical-files --show-c-function
      --show-function-line: --text --ed --rcs --normal --expand-tabs --initial-tab --tabsize: --no-dereference
      --ignore-file-name-case --help --version`,
  },
  sort: {
    options: `-b -d -f -g -i -M -h -n -R -r -V -c -C -m -s -u -z -k: -t: -S: --ignore-leading-blanks --dictionary-order
      --ignore-case --general-numeric-sort --ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort
      --random-sort --reverse --sort: --version-sort --check? --merge --key: --field-separator: --buffer-size: --stable
      --unique --zero-terminated --parallel: --batch-size: --debug --help --version`,
  },
  uniq: {
    most: 1,
    options: `-c -d -D -f: -i -s: -u -w: -z --count --repeated --all-repeated? --skip-fields: --ignore-case --skip-chars:
      --unique --check-chars: --group? --zero-terminated --help --version`,
  },
  md5sum: sums,
  sha1sum: sums,
  sha224sum: sums,
  sha256sum: sums,
  sha384sum: sums,
  sha512sum: sums,
  b2sum: sums,
  cksum: sums,
  shasum: sums,
  sum: { safe: true, options: '-r -s --sysv' },
  base64: { options: '-d -i -w: --decode --ignore-garbage --wrap: --help --version' },
  base32: { options: '-d -i -w: --decode --ignore-garbage --wrap: --help --version' },
  od: {
    safe: true,
    options:
      '-A: -j: -N: -S: -t: -v -w? -a -b -c -d -f -i -l -o -s -x --address-radix: --skip-bytes: --read-bytes: --strings? --format: --output-duplicates --width? --endian:',
  },
  hexdump: {
    safe: true,
    options: '-b -c -C -d -n: -o -s: -v -x -e: --canonical --length: --skip: --no-squeezing',
  },
  hd: { safe: true, options: '-b -c -C -d -n: -o -s: -v -x -e:' },
  strings: {
    number: true,
    options:
      '-a -d -f -n: -t: -e: -o -w -s: --all --data --print-file-name --bytes: --radix: --encoding: --include-all-whitespace',
  },
  xxd: {
    most: 1,
    apart: true,
    options:
      '-a -b -c: -cols: -C -d -e -E -g: -i -l: -len: -n: -o: -p -ps -plain -r -s: -seek: -u -v -autoskip -bits -capitalize -decimal -EBCDIC -groupsize: -include -name: -offset: -revert -upper -version',
  },
  iconv: { options: '-f: -t: -c -s -l --from-code: --to-code: --list --silent' },
  numfmt: {
    operands: 'words',
    options:
      '--from: --to: --from-unit: --to-unit: --format: --field: --header? --suffix: --padding: --round: --grouping --invalid: -d: --delimiter: -z',
  },
};
