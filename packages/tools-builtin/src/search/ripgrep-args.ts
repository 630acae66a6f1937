/** Which files ripgrep looks at: hidden ones too, what `.gitignore` names not, links never. */
export function fileArgs(options: {
  /** Folder names not entered. */
  readonly skip: ReadonlySet<string>;
  /** Also what `.gitignore` names. */
  readonly ignored: boolean;
  /** Globs of file names, one of which must match. */
  readonly names?: readonly string[];
}): readonly string[] {
  const { skip, ignored, names = [] } = options;
  return [
    '--hidden',
    '--no-require-git',
    '--no-ignore-dot',
    '--no-ignore-global',
    ...(ignored ? ['--no-ignore-vcs'] : []),
    ...[...skip].map((name) => `--glob=!${name}/`),
    ...names.map((glob) => `--type-add=toolgate:${glob}`),
    ...(names.length > 0 ? ['--type=toolgate'] : []),
  ];
}

/** A path as ripgrep shows it, without the `./` of its start. */
export const relativeOf = (bytes: Buffer): string => bytes.toString('utf8').replace(/^\.\//, '');

/** True for a pattern that means a place itself, ignored by git or not: one without wildcards, or in a folder left out. */
export const namesIgnored = (text: string | undefined, skip: ReadonlySet<string>): boolean =>
  text !== undefined && (!/[*?[{(]/.test(text) || skip.size < 4);
