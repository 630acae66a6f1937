import type { Argument } from '../bash/expand.ts';
import { literal } from '../read-only/verdict.ts';
import { scriptText } from './scripts.ts';

// Variables whose value some program runs.
const runVariable =
  /^(?:\w*EDITOR|VISUAL|\w*PAGER|\w*BROWSER|\w*ASKPASS|\w*_COMMAND|GIT_EXTERNAL_DIFF|GIT_SSH|RSYNC_RSH|LESSOPEN|LESSCLOSE|BASH_ENV|ENV|PS[0-4]|SHELL|\w*_SHELL)$/;
// Settings of git whose value it runs.
const runSetting =
  /(?:pager|editor|command|external|fsmonitor|helper|clean|smudge|process|textconv|driver|program|cmd|tool\..*|askpass|packet|uploadpack|receivepack)$/i;
const harmless =
  /^(?:cat|less(?: -\w+)?|more|true|false|:|vi|vim|nano|code --wait|(?:un)?(?:gzip|bzip2|xz|zstd|lz4|lzma|pigz|pbzip2|brotli)(?: [-\w]+)*)?$/;

/** The script in an assignment such as `GIT_EDITOR='rm x'`. */
export function assignedScript(name: string, value: string): readonly string[] {
  if (runVariable.test(name)) return harmless.test(value) ? [] : [value];
  // As a number it would be evaluated, subscripts and all.
  return subscript(value);
}

const subscript = (text: string): readonly string[] =>
  /\$[({]|`|[<>]\(/.test(text) ? [`: ${text}`] : [];

const evaluating = new Set(
  'test [ printf let read unset declare typeset local export readonly mapfile readarray getopts wait expr'.split(
    ' ',
  ),
);

interface Carriers {
  /** Options whose value, in the next word or behind `=` or the letter, is run. */
  readonly options: RegExp;
  readonly value?: RegExp;
}
const carriers: Readonly<Record<string, Carriers>> = {
  tar: {
    options:
      /^(?:-[a-zA-Z]*[IF]|--(?:use-compress-program|to-command|checkpoint-action|rsh-command|info-script|new-volume-script))$/,
    value: /^(?:exec=)?((?!dot|echo|ttyout|sleep|bell|totals|wait)[\s\S]+)$/,
  },
  rsync: { options: /^(?:-[a-zA-Z]*e|--rsh)$/ },
  sort: { options: /^--compress-program$/ },
  ssh: { options: /^-o$/, value: /^(?:Proxy|Local|KnownHosts)Command[= ]+(.+)$/is },
  scp: { options: /^(?:-o|-S)$/, value: /^(?:(?:Proxy|Local)Command[= ]+)?([^=]+)$/is },
  mapfile: { options: /^-C$/ },
  readarray: { options: /^-C$/ },
  compgen: { options: /^-[CW]$/ },
  hash: { options: /^-p$/ },
  vim: { options: /^(?:-c|--cmd)$/, value: /^:?!(.+)$/s },
  vi: { options: /^-c$/, value: /^:?!(.+)$/s },
  zip: { options: /^-[a-zA-Z]*TT$|^--unzip-command$/ },
};

/** Scripts in options and words of programs that are no shells. */
export function hiddenScripts(name: string, words: readonly Argument[]): readonly string[] {
  const found: string[] = [];
  const carrier = Object.hasOwn(carriers, name) ? carriers[name] : undefined;
  words.forEach((word, index) => {
    const text = literal(word) ?? scriptText(word);
    const assigned = /^([A-Za-z_]\w*)=(.*)$/s.exec(text);
    if (name === 'alias') found.push(...(assigned?.[2] === undefined ? [] : [assigned[2]]));
    else if (assigned && /^(?:env|sudo|doas|export|declare|typeset|local|readonly)$/.test(name))
      found.push(...assignedScript(assigned[1] ?? '', assigned[2] ?? ''));
    else if (evaluating.has(name) && literal(word) !== undefined) found.push(...subscript(text));
    if (!carrier) return;
    const [, option = text, joined] =
      /^(--[\w-]+)=(.*)$/s.exec(text) ?? /^(-[a-zA-Z])(.+)$/s.exec(text) ?? [];
    const value = carrier.options.test(text)
      ? words[index + 1] && scriptText(words[index + 1] ?? word)
      : carrier.options.test(option)
        ? joined
        : undefined;
    const script = value === undefined ? undefined : (carrier.value ?? /^(.+)$/s).exec(value)?.[1];
    if (script !== undefined && !harmless.test(script)) found.push(script);
  });
  if (name === 'git') found.push(...settings(words.map((word) => scriptText(word))));
  return found;
}

/** `git -c core.pager='rm x'`. */
const settings = (texts: readonly string[]): readonly string[] =>
  texts.flatMap((text, index) => {
    const setting = text === '-c' ? (texts[index + 1] ?? '') : /^-c(.+)$/s.exec(text)?.[1];
    const [, key = '', value = ''] = /^([^=\s]+\.[^=]*)=\s*!?(.*)$/s.exec(setting ?? '') ?? [];
    return runSetting.test(key) && !harmless.test(value) ? [value] : [];
  });

const runners: Readonly<Record<string, RegExp | undefined>> = {
  npx: undefined,
  bunx: undefined,
  pnpx: undefined,
  npm: /^(?:exec|x)$/,
  pnpm: /^(?:exec|dlx)$/,
  yarn: /^(?:exec|dlx)$/,
  bun: /^x$/,
  uv: /^run$/,
  poetry: /^run$/,
  pipenv: /^run$/,
  bundle: /^exec$/,
  mise: /^(?:exec|x)$/,
};

/** The commands behind runners of packages, which allow rules name as they stand. */
export function behindRunner(
  name: string,
  words: readonly Argument[],
): readonly (readonly Argument[])[] {
  if (!Object.hasOwn(runners, name)) return [];
  const verb = runners[name];
  const at = verb ? words.findIndex((word) => verb.test(literal(word) ?? '')) : -1;
  if (verb && at < 0) return [];
  const rest = words.slice(at + 1);
  let from = 0;
  let guess: readonly Argument[] | undefined;
  for (; from < rest.length; from += 1) {
    const text = literal(rest[from]) ?? '';
    if (text === '--') {
      from += 1;
      break;
    }
    if (!text.startsWith('-')) break;
    if (withValue.test(text)) from += 1;
    // The word behind another option may be its value, too.
    else guess ??= rest.slice(from + 2);
  }
  return [rest.slice(from), ...(guess ? [guess] : [])];
}

const withValue =
  /^(?:-[pwCF]|--(?:package|workspace|filter|prefix|dir|from|with|python|group|extra|project|directory))$/;
