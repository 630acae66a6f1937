import { has, parseOptions } from './options.ts';
import { readOf } from './spec.ts';
import { literal, readOnly, unknown, type Checker } from './verdict.ts';

const rgRules = {
  number: false,
  options: `-n -N -i -S -s -w -x -v -l -c -o -q -F -P -U -u -a -p -0 -L -H -I -A: -B: -C: -e: -f@ -g: -t: -T: -m: -M: -j: -r: -d: -E:
    --line-number --no-line-number --ignore-case --smart-case --case-sensitive --word-regexp --line-regexp --invert-match
    --files --files-with-matches --files-without-match --count --count-matches --only-matching --quiet --fixed-strings
    --pcre2 --multiline --multiline-dotall --unrestricted --text --pretty --null --follow --with-filename --no-filename
    --after-context: --before-context: --context: --context-separator: --regexp: --file@ --glob: --iglob: --type: --type-not:
    --type-list --max-count: --max-columns: --max-depth: --max-filesize: --threads: --replace: --encoding: --hidden -.
    --no-ignore --no-ignore-vcs --no-ignore-parent --no-config --no-messages --no-heading --heading --column --color:
    --colors: --sort: --sortr: --stats --json --vimgrep --trim --passthru --byte-offset --block-buffered --line-buffered
    --one-file-system --crlf --no-unicode --auto-hybrid-regex --engine: --version -V --debug`,
};

/** `rg` reads with the listed options; `--pre`, `--hostname-bin` and `-z` start programs. */
export const rg: Checker = (words, { input }) => {
  const parsed = parseOptions(words, rgRules);
  if (typeof parsed === 'string') return unknown(parsed);
  if (has(parsed, '--version', '-V', '--type-list')) return readOnly();
  const hasPattern = has(parsed, '-e', '--regexp', '-f', '--file', '--files');
  if (!hasPattern && parsed.operands[0]?.many) return unknown('The pattern is not known.');
  const paths = hasPattern ? parsed.operands : parsed.operands.slice(1);
  const piped = paths.length === 0 && input.from !== 'session' && !has(parsed, '--files');
  const content = !has(parsed, '--files');
  const reads = [
    ...parsed.files.map((file) => readOf(file, true)),
    ...paths.map((path) => readOf(path, content, true)),
    ...(paths.length === 0 ? [{ content, open: true }] : []),
  ];
  return readOnly({ reads, readsInput: piped });
};

const fdRules = {
  options: `-H -I -u -s -i -g -F -a -L -p -0 -1 -q -d: -t: -e: -E: -S: -j: --hidden --no-ignore --unrestricted --case-sensitive
    --ignore-case --glob --regex --fixed-strings --absolute-path --follow --full-path --print0 --max-depth: --min-depth:
    --exact-depth: --type: --extension: --exclude: --size: --changed-within: --changed-before: --color: --max-results:
    --max-one-result --no-ignore-vcs --version -V --quiet`,
};

/** `fd` reads unless it runs a command for what it finds. */
export const fd: Checker = (words) => {
  const parsed = parseOptions(words, fdRules);
  if (typeof parsed === 'string') return unknown(parsed);
  if (parsed.operands[0]?.many) return unknown('The pattern is not known.');
  const paths = parsed.operands.slice(1).map((path) => readOf(path, false, true));
  return readOnly({ reads: paths.length > 0 ? paths : [{ content: false, open: true }] });
};

const dateRules = {
  options:
    '-u -d: -R -I? -r@ --date: --iso-8601? --rfc-3339: --rfc-email --utc --universal --reference@ --debug --help --version',
};

/** `date` sets the clock with `-s` or an operand that is no format. */
export const date: Checker = (words) => {
  const parsed = parseOptions(words, dateRules);
  if (typeof parsed === 'string') return unknown(parsed);
  const formats = parsed.operands.every(
    (operand) => !operand.many && operand.prefixes.every((text) => text.startsWith('+')),
  );
  if (!formats) return unknown('An operand that is no format sets the clock.');
  return readOnly({ reads: parsed.files.map((file) => readOf(file, false)) });
};

const psLong =
  /^--(?:forest|no-headers|no-heading|headers|(?:sort|pid|ppid|user|User|group|Group|tty|cols|columns|width|rows|lines|format|deselect)(?:=[\w,+%:-]+)?)$/;

const bsdWithE = /^[auxfljvwrSTmXhgcLns]*e[auxfljvwrSTmXhgcLnse]*$/;

/** `ps` prints environments with the BSD letter `e` and the field `environ`. */
export const ps: Checker = (words) => {
  if (words.some((word) => /environ/i.test(literal(word) ?? 'environ')))
    return unknown('An operand of ps may show environments.');
  for (let at = 0; at < words.length; at += 1) {
    const text = literal(words[at]);
    if (text === undefined) return unknown('An operand of ps is not known.');
    if (text.startsWith('--')) {
      if (!psLong.test(text)) return unknown(`${text} is not known to be harmless.`);
    } else if (text.startsWith('-')) {
      // A letter with a value takes the rest; some versions read `-aux` as BSD letters after all.
      const cluster = text.slice(1);
      const plain = /^[AadefFlLMTHjwcyVN]*$/.test(cluster) && !/e.*u|u.*e/.test(cluster);
      const valued =
        /^(?:[a-df-zA-DF-Z]*|[AadefFlLMTHjwcyVN]*[opuCgGstU])$/.test(cluster) ||
        /^[opC][\w,=%:+-]*$/.test(cluster);
      if (!plain && !valued) return unknown(`${text} is not known to be harmless.`);
      // Only the last letter, with nothing behind it, takes the next word.
      if (/^[AadefFlLMTHjwcyVN]*[opuCgGstU]$/.test(cluster) && cluster !== 'au') {
        const value = literal(words[at + 1]);
        // A name that is none makes some versions read all words as BSD letters.
        if (value !== undefined && !/[oC]$/.test(cluster) && bsdWithE.test(value))
          return unknown(`${value} may show environments.`);
        if (value !== undefined && /^[\w,=%:+.-]+$/.test(value) && !value.startsWith('-')) at += 1;
      }
    } else if (!/^(?:[auxfljvwrSTmXhgcLns]+|\d[\d,]*)$/.test(text))
      return unknown(`${text} is not known to be harmless.`);
  }
  return readOnly();
};

const tarRules = {
  options: `-t -v -z -j -J -Z -a -p -k -f@ -C@ --list --verbose --gzip --gunzip --bzip2 --xz --zstd --lzma --auto-compress
    --file@ --directory@ --exclude: --wildcards --no-wildcards --strip-components: --full-time --numeric-owner
    --force-local --totals`,
};

/** `tar` reads when it lists a local archive. */
export const tar: Checker = (words) => {
  const [first, ...rest] = words;
  const text = literal(first);
  // The old form puts the letters first, without a dash, and their values behind all of them.
  const old = text !== undefined && first && /^[vzjJ]*t[vzjJ]*f$/.test(text);
  const all = old ? [{ ...first, texts: [`-${text}`] }, ...rest] : words;
  const parsed = parseOptions(all, tarRules);
  if (typeof parsed === 'string') return unknown(parsed);
  if (!has(parsed, '-t', '--list')) return unknown('Only listing an archive is read-only.');
  const archive = parsed.files.filter((file) => file.kind === 'literal' || file.kind === 'set');
  if (archive.length !== parsed.files.length || archive.length === 0)
    return unknown('The archive is not known.');
  // A name with a colon is on another machine, reached through a remote shell.
  if (archive.some((file) => file.texts.some((name) => name.includes(':'))))
    return unknown('The archive may be on another machine.');
  return readOnly({
    reads: archive.filter((file) => literal(file) !== '-').map((file) => readOf(file, true)),
  });
};
