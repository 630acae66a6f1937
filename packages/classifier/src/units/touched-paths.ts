import { basename, join } from 'node:path';
import { isBelow, type EffectsFacts, type TouchedPath } from '@toolgate/core';
import type { Argument } from '../bash/expand.ts';
import { withoutGitOptions, type Invocation } from '../forms/invocations.ts';
import { textCommands } from '../read-only/tables/text.ts';
import { literal } from '../read-only/verdict.ts';
import { literalPath } from './needs.ts';

interface Named {
  readonly reads?: readonly string[];
  readonly writes?: readonly string[];
}
interface Words {
  readonly operands: readonly string[];
  readonly options: readonly string[];
  /** Values of the named options, in a word of their own, joined or behind `=`. */
  readonly values: (option: RegExp) => readonly string[];
}
type Shape = (words: Words) => Named;

const written: Shape = ({ operands }) => ({ writes: operands });
const read: Shape = ({ operands }) => ({ reads: operands });
/** The first operand is a mode or an owner. */
const changed: Shape = ({ operands, options }) => ({
  writes: options.some((one) => one.startsWith('--reference')) ? operands : operands.slice(1),
});
const toLast =
  (sourcesGo: boolean): Shape =>
  ({ operands, values }) => {
    const [folder] = values(/^(?:-t|--target-directory)$/);
    const all = operands.filter((one) => one !== folder);
    const sources = folder === undefined ? all.slice(0, -1) : all;
    const target = folder ?? all.at(-1);
    const reads = sources.filter((one) => isLocal(one));
    if (target === undefined) return { reads: all };
    const replaced = isLocal(target)
      ? [target, ...sources.map((one) => join(target, basename(one)))]
      : [];
    return { reads, writes: sourcesGo ? [...reads, ...replaced] : replaced };
  };
const isLocal = (path: string): boolean => !/^[^/]*:/.test(path);
const packed: Shape = ({ operands, options, values }) => {
  const archives = values(/^(?:-[a-zA-Z]*f|--file)$/);
  const [letters = ''] = operands;
  const old = /^[a-zA-Z]+$/.test(letters) && !options.some((one) => /^-\w/.test(one));
  const modes = [...options, ...(old ? [letters] : [])].join(' ');
  const packs = /(?:^|\s)-{0,1}[b-zA-Z]*[cru]|--(?:create|append|update|concatenate)/.test(modes);
  const files = (old ? operands.slice(1) : operands).filter((one) => !archives.includes(one));
  const archive = old && /f/.test(letters) ? files.slice(0, 1) : archives;
  const rest = files.filter((one) => !archive.includes(one));
  return packs
    ? { writes: archive, reads: [...rest, ...values(/^(?:-T|--files-from)$/)] }
    : { reads: archive, writes: rest };
};
const edited: Shape = ({ operands }) => ({ reads: operands, writes: operands });
const outputOf =
  (...options: readonly RegExp[]): Shape =>
  ({ operands, values }) => ({
    reads: operands,
    writes: options.flatMap((option) => values(option)),
  });
const secondIsOutput: Shape = ({ operands }) => ({
  reads: operands.slice(0, 1),
  writes: operands.slice(1),
});
const sed: Shape = ({ operands, options, values }) => {
  const scripts = [...values(/^(?:-e|--expression)$/), ...operands.slice(0, 1)];
  const inPlace = options.some((one) => /^-(?:[nErsuz]*i|-in-place)/.test(one));
  const named = (letters: string) =>
    scripts.flatMap((one) =>
      [...one.matchAll(new RegExp(`[${letters}]\\s*([^\\s;}]+)`, 'g'))].map(
        ([, path = '']) => path,
      ),
    );
  return {
    reads: [...operands, ...named('rR')],
    writes: [...(inPlace ? operands : []), ...named('wW')],
  };
};
const git: Shape = ({ operands: [verb, ...rest] }) => {
  if (/^(?:checkout|restore|rm|mv|clean|reset)$/.test(verb ?? '')) return { writes: rest };
  return verb === 'add' || verb === 'hash-object' ? { reads: rest } : {};
};

const shapes: Readonly<Record<string, Shape>> = {
  '.': ({ operands }) => ({ reads: operands.slice(0, 1) }),
  source: ({ operands }) => ({ reads: operands.slice(0, 1) }),
  bat: read,
  chattr: changed,
  chgrp: changed,
  chmod: changed,
  chown: changed,
  cp: toLast(false),
  curl: outputOf(/^(?:-[a-zA-Z]*[oDc]|--(?:output|dump-header|cookie-jar|trace|trace-ascii))$/),
  dd: ({ operands }) => ({ writes: operands.flatMap((one) => /^of=(.+)$/s.exec(one)?.[1] ?? []) }),
  diff3: read,
  ed: edited,
  emacs: edited,
  ex: edited,
  git,
  gpg: edited,
  gsed: sed,
  gunzip: edited,
  gzip: edited,
  bzip2: edited,
  xz: edited,
  zstd: edited,
  install: toLast(false),
  less: read,
  ln: toLast(false),
  mkdir: written,
  more: read,
  mv: toLast(true),
  nano: edited,
  openssl: ({ values }) => ({ reads: values(/^-in$/), writes: values(/^-out$/) }),
  patch: ({ operands, values }) => ({
    writes: [...operands.slice(0, 1), ...values(/^(?:-o|--output|-r)$/)],
    reads: [...operands.slice(1), ...values(/^(?:-i|--input)$/)],
  }),
  perl: ({ operands, options }) =>
    options.some((one) => /^-\w*i/.test(one)) ? { writes: operands } : {},
  rm: written,
  rmdir: written,
  rsync: toLast(false),
  scp: toLast(false),
  sed,
  setfacl: changed,
  shred: written,
  sort: outputOf(/^(?:-[a-zA-Z]*o|--output)$/),
  split: read,
  sponge: written,
  tar: packed,
  tee: written,
  touch: written,
  truncate: written,
  uniq: secondIsOutput,
  unlink: written,
  unzip: ({ operands, values }) => ({
    reads: operands.slice(0, 1),
    writes: [...operands.slice(1), ...values(/^-d$/)],
  }),
  vi: edited,
  vim: edited,
  wget: ({ values }) => ({
    writes: values(
      /^(?:-[a-zA-Z]*[OoaP]|--(?:output-document|output-file|append-output|directory-prefix))$/,
    ),
    reads: values(/^(?:-i|--(?:input-file|post-file|body-file))$/),
  }),
  xargs: ({ values }) => ({ reads: values(/^(?:-a|--arg-file)$/) }),
  xxd: secondIsOutput,
  zip: ({ operands }) => ({ writes: operands.slice(0, 1), reads: operands.slice(1) }),
};

/** The paths that commands known to handle files name in their words. */
export function touchedPaths(
  invocations: readonly Invocation[],
  facts: EffectsFacts,
): readonly TouchedPath[] {
  const found = new Map<string, TouchedPath>();
  for (const { words, state } of invocations) {
    const [first, ...rest] = words;
    const name = literal(first) ?? '';
    const named = name === 'find' ? foundPaths(rest) : namedPaths(name, rest);
    const folders = state.folders ?? [facts.cwd];
    const add = (how: TouchedPath['how'], text: string): void => {
      if (text === '' || text === '-' || text === '/dev/null') return;
      for (const folder of folders) {
        const path = facts.resolve(literalPath(text), facts.realPath(folder));
        const realPath = facts.realPath(path);
        // Of a folder in the project only its name is held against a rule: most rules name files that may
        // lie anywhere, and nobody wants to be asked about them for every `rm -rf dist`.
        const open = deep && [facts.cwd, ...facts.directories].some((one) => isBelow(one, path));
        found.set(`${how} ${path} ${open}`, { how, path, realPath, ...(open && { open }) });
      }
    };
    const deep = recursive(name, rest);
    for (const text of named.reads ?? []) add('Read', text);
    for (const text of named.writes ?? []) add('Edit', text);
  }
  return [...found.values()];
}

const recursive = (name: string, words: readonly Argument[]): boolean =>
  name === 'find' ||
  name === 'tar' ||
  (/^(?:rm|cp|chmod|chown|chgrp|setfacl|rsync|scp|zip)$/.test(name) &&
    words.some((word) => /^-(?:\w*[rRa]|-recursive|-archive)/.test(literal(word) ?? '')));

function namedPaths(name: string, words: readonly Argument[]): Named {
  const shape = Object.hasOwn(shapes, name)
    ? shapes[name]
    : Object.hasOwn(textCommands, name)
      ? read
      : undefined;
  if (!shape) return {};
  const texts = (name === 'git' ? withoutGitOptions(words) : words).flatMap((word) => word.texts);
  const end = texts.indexOf('--');
  const isOption = (text: string, index: number) =>
    text.startsWith('-') && text !== '-' && (end < 0 || index < end);
  const options = texts.filter((text, index) => isOption(text, index) && text !== '--');
  const operands = texts.filter((text, index) => !isOption(text, index) && index !== end);
  const values = (option: RegExp): readonly string[] =>
    texts.flatMap((text, index) => {
      if (!isOption(text, index)) return [];
      const [, long, value] = /^(--[\w-]+)=(.*)$/s.exec(text) ?? [];
      if (long !== undefined) return option.test(long) ? [value ?? ''] : [];
      if (option.test(text)) return texts.slice(index + 1, index + 2);
      // `-uob`: the value stands behind its letter.
      const at = text.startsWith('--')
        ? -1
        : text.split('').findIndex((_, last) => last > 0 && option.test(text.slice(0, last + 1)));
      return at < 0 ? [] : [text.slice(at + 1)];
    });
  const { reads = [], writes = [] } = shape({ operands, options, values });
  // `@x`, `key=@x`, `if=x`, `--option=x`
  const hidden = texts.flatMap(
    (text) => /^(?:[\w-]*=)?@(.+)$|^[\w-]+=(.+)$/s.exec(text)?.slice(1) ?? [],
  );
  return {
    reads: [...reads, ...hidden.filter((text) => text !== undefined)],
    writes,
  };
}

/** What `find` deletes, and the files it writes what it finds to. */
function foundPaths(words: readonly Argument[]): Named {
  const texts = words.map((word) => literal(word) ?? '');
  const end = texts.findIndex((text) => /^[-(!]/.test(text));
  return {
    writes: [
      ...(texts.includes('-delete') ? texts.slice(0, end) : []),
      ...texts.filter((_, index) => /^-f(?:print|print0|printf|ls)$/.test(texts[index - 1] ?? '')),
    ],
  };
}
