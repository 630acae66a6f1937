import { basename, join } from 'node:path';
import type { EffectsFacts, PermissionUnit } from '@toolgate/core';
import type { AnalysedCommand } from '../analyse.ts';
import type { StrictForm } from '../forms/strict.ts';
import { isInertForRules } from '../read-only/inert-assignments.ts';
import { has, parseOptions, type OptionRules } from '../read-only/options.ts';
import { sedTrouble } from '../read-only/sed.ts';
import { literal } from '../read-only/verdict.ts';
import { literalPath } from './needs.ts';

const rules: Readonly<Record<string, OptionRules>> = {
  mkdir: { options: '-p -v -m: --parents --verbose --mode:' },
  touch: { options: '-a -c -m -d: -t: -h -f --no-create --date: --time: --no-dereference' },
  rm: { options: '-f -i -I -r -R -d -v --force --recursive --dir --verbose --one-file-system' },
  rmdir: { options: '-p -v --parents --verbose --ignore-fail-on-non-empty' },
  mv: {
    options:
      '-f -i -n -u -v -T --force --interactive --no-clobber --update --verbose --no-target-directory',
  },
  cp: {
    options:
      '-a -f -i -n -p -r -R -u -v -T -d -P -L -x --archive --force --interactive --no-clobber --recursive --update --verbose --no-target-directory --no-dereference',
  },
  sed: {
    options: '-i -n -E -r -s -z -u -e: --in-place --quiet --silent --regexp-extended --expression:',
  },
};

type Paths = NonNullable<PermissionUnit['writes']>;

/** The paths that one of the simple file commands writes or removes, when the text names them all. */
export function writtenPaths(
  { command, visit }: AnalysedCommand,
  form: StrictForm,
  facts: EffectsFacts,
): Paths | undefined {
  const [first, ...words] = form.words;
  const name = literal(first) ?? '';
  if (!visit || !Object.hasOwn(rules, name) || !command.assignments.every(isInertForRules))
    return undefined;
  if (form.content.endsWith(' …')) return undefined;
  const rule = rules[name];
  const parsed = rule && parseOptions(words, rule);
  if (!parsed || typeof parsed === 'string') return undefined;
  let { operands } = parsed;
  if (name === 'sed') {
    if (!has(parsed, '-i', '--in-place')) return undefined;
    const given = parsed.options
      .filter((one) => one.name === '-e' || one.name === '--expression')
      .map((one) => one.value);
    const scripts = given.length > 0 ? given : operands.slice(0, 1);
    if (given.length === 0) operands = operands.slice(1);
    if (
      scripts.some(
        (one) => literal(one) === undefined || sedTrouble(literal(one) ?? '') !== undefined,
      )
    )
      return undefined;
  }
  const { folders } = visit.state;
  if (operands.length === 0 || folders?.length !== 1) return undefined;
  const paths: { path: string; realPath: string }[] = [];
  for (const operand of operands) {
    const text = literal(operand);
    if (text === undefined || text === '') return undefined;
    const path = facts.resolve(literalPath(text), facts.realPath(folders[0] ?? facts.cwd));
    paths.push({ path, realPath: facts.realPath(path) });
  }
  // The target may be a folder; then what is in it under the source's name is replaced, link or not.
  const target = paths.at(-1);
  if (target && (name === 'cp' || name === 'mv'))
    for (const source of paths.slice(0, -1)) {
      const path = join(target.path, basename(source.path));
      paths.push({ path, realPath: facts.realPath(path) });
    }
  return paths;
}
