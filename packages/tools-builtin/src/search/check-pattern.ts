/** Why a glob cannot be searched for; undefined when it can. Results never leave the search folder. */
export function globProblem(pattern: string): string | undefined {
  if (/^([\\/~]|[A-Za-z]:)/.test(pattern))
    return 'The pattern must be relative; give the folder in path.';
  if (pattern.split(/[/\\{},()|]/).includes('..'))
    return 'The pattern must not contain ".."; give the folder in path.';
  if (pattern.length > 1_000) return 'The pattern is too long; at most 1,000 characters.';
  return undefined;
}
