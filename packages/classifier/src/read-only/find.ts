import type { Argument } from '../bash/expand.ts';
import { readOf } from './spec.ts';
import { literal, readOnly, unknown, writes, type Checker, type Read } from './verdict.ts';

const alone = new Set(
  `-a -and -o -or -not ! ( ) , -print -print0 -ls -prune -quit -depth -d -mount -xdev -noleaf -daystart -empty -readable -writable
  -executable -nouser -nogroup -true -false -follow -warn -nowarn -ignore_readdir_race -noignore_readdir_race`.split(
    /\s+/,
  ),
);
const withValue = new Set(
  `-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype -size -mtime -atime -ctime -mmin
  -amin -cmin -maxdepth -mindepth -perm -user -group -uid -gid -links -inum -fstype -regextype -printf -used -context`.split(
    /\s+/,
  ),
);
const withFile = new Set('-newer -anewer -cnewer -samefile'.split(' '));

/** `find` reads when its expression holds tests and printing only. */
export const find: Checker = (words) => {
  const reads: Read[] = [];
  let at = 0;
  while (/^-(?:[HLP]|O\d)$/.test(literal(words[at]) ?? '')) at += 1;
  for (; at < words.length; at += 1) {
    const word = words[at];
    if (!word || /^[-(!,]/.test(literal(word) ?? '')) break;
    // An operand that may be a test or an action could delete.
    if (!word.anchored || word.texts.some((text) => /^[(!,]/.test(text)))
      return unknown(`${word.source} may become an action.`);
    reads.push(readOf(word, false, true));
  }
  for (; at < words.length; at += 1) {
    const text = literal(words[at]);
    if (text === undefined) return unknown(`${words[at]?.source ?? ''} may become an action.`);
    if (alone.has(text)) continue;
    if (/^-(?:exec|execdir|ok|okdir|delete|fprint|fprint0|fprintf|fls)$/.test(text))
      return writes(`${text} acts on what is found.`);
    const file = withFile.has(text) || /^-newer[aBcm][aBcm]$/.test(text);
    if (!file && !withValue.has(text) && !/^-newer[aBcm]t$/.test(text))
      return unknown(`${text} is not known to be harmless.`);
    at += 1;
    const value: Argument | undefined = words[at];
    if (!value || value.many) return unknown(`The value of ${text} is not known.`);
    if (file) reads.push(readOf(value, false));
  }
  if (reads.length === 0) reads.push({ content: false, open: true });
  return readOnly({ reads });
};
