import { fixSettings, saveFixes, type SettingsFile } from '@toolgate/settings';
import { filesToLint, lintFiles, type Linted } from './lint-files.ts';
import { formatFindings, type LintFormat } from './lint-output.ts';
import { say, writeText } from './output.ts';
import { UsageError } from './usage-error.ts';

/** The flags of `lint`. */
export interface LintFlags {
  readonly format: LintFormat;
  readonly fix: boolean;
  readonly cwd: string;
}

/** A fix may make another one possible; this many times at most. */
const maxPasses = 10;

/** `toolgate lint`. Answers with the exit code: 1 when errors or warnings are left. */
export async function lint(names: readonly string[], flags: LintFlags): Promise<number> {
  const places = filesToLint(names, flags.cwd);
  if (places.length === 0) say('there are no settings files here');
  const { findings } = flags.fix ? await mended(places) : lintFiles(places);
  await writeText(formatFindings(findings, flags.format, flags.cwd));
  const count = (severity: string) => findings.filter((each) => each.severity === severity).length;
  const [errors, warnings] = [count('error'), count('warning')];
  if (findings.length > 0) say(`${errors} errors, ${warnings} warnings, ${count('info')} infos`);
  return errors + warnings > 0 ? 1 : 0;
}

/** Makes the certain changes and looks again, until there is none left to make. */
async function mended(places: readonly SettingsFile[]): Promise<Linted> {
  let linted = lintFiles(places);
  let changes = 0;
  for (let pass = 0; pass < maxPasses; pass++) {
    const made = await fixOnce(places, linted);
    if (made === 0) break;
    changes += made;
    linted = lintFiles(places);
  }
  if (changes > 0) say(`${changes} ${changes === 1 ? 'change' : 'changes'} made`);
  return linted;
}

async function fixOnce(
  places: readonly SettingsFile[],
  { opened, findings }: Linted,
): Promise<number> {
  let made = 0;
  for (const [index, { file, text }] of opened.entries()) {
    const place = places[index];
    const edits = findings.flatMap(({ file: of, pointer = '', fix: { edit } }) =>
      of === file && edit ? [{ pointer, edit }] : [],
    );
    if (!place || edits.length === 0) continue;
    const fixed = fixSettings(text, edits);
    if (fixed.text === text) continue;
    await saveFixes(place, { before: text, after: fixed.text }).catch((thrown: unknown) => {
      throw new UsageError(thrown instanceof Error ? thrown.message : `${file} cannot be written`);
    });
    made += fixed.made.length;
  }
  return made;
}
