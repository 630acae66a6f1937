import type { Argument } from '../bash/expand.ts';
import { has, parseOptions, type OptionRules } from './options.ts';
import { readOf } from './spec.ts';
import { gitCommands, type GitSpec } from './tables/git.ts';
import { literal, readOnly, unknown, type Checker, type Read } from './verdict.ts';

const rules = new Map<GitSpec, OptionRules>();
function rulesOf(spec: GitSpec): OptionRules {
  const known = rules.get(spec) ?? { options: spec.options, number: true, plainValues: true };
  rules.set(spec, known);
  return known;
}

/** Read-only forms of git. All of them but the version need a repository that names no program. */
export const git: Checker = (words) => {
  let rest = words;
  let folder: Argument | undefined;
  for (;;) {
    const text = literal(rest[0]);
    if (text === '--version' || text === '-v')
      return rest.length === 1 ? readOnly() : unknown('It is not understood.');
    if (text === '--no-pager' || text === '--no-optional-locks') rest = rest.slice(1);
    else if (text === '-C') {
      const path = literal(rest[1]);
      if (folder || !path || path.startsWith('-'))
        return unknown('The folder of git is not known.');
      folder = rest[1];
      rest = rest.slice(2);
    } else break;
  }
  const name = literal(rest[0]);
  if (name === undefined || !Object.hasOwn(gitCommands, name))
    return unknown(
      name?.startsWith('-')
        ? `${name} before the subcommand is not known to be harmless.`
        : 'The git subcommand is not known to be read-only.',
    );
  const spec = gitCommands[name];
  if (!spec) return unknown('The git subcommand is not known to be read-only.');
  if (spec.verbs && !spec.verbs.includes(literal(rest[1]) ?? ''))
    return unknown('This form is not known to be read-only.');
  const parsed = parseOptions(rest.slice(1), rulesOf(spec));
  if (typeof parsed === 'string') return unknown(parsed);
  const reason = spec.refuse?.(parsed);
  if (reason !== undefined) return unknown(reason);
  const from = folder ? { from: folder } : {};
  const content =
    typeof spec.content === 'function' ? spec.content(parsed) : (spec.content ?? false);
  const files: Read[] = (spec.files?.(parsed) ?? []).map((file) => readOf(file, true, true));
  const reads = [
    ...parsed.files.map((file) => readOf(file, true)),
    ...files,
    ...(content && !(has(parsed, '--no-index') && files.length > 1)
      ? [{ content: true, open: true }]
      : []),
  ].map((read) => ({ ...read, ...from }));
  return readOnly({ reads, needs: [{ name: 'git-context', ...(folder && { folder }) }] });
};
