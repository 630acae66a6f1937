/** Says that files were left out because a rule denies reading them; undefined when none were. */
export const deniedNote = (count: number): string | undefined =>
  count === 0
    ? undefined
    : `${count} ${count === 1 ? 'file was' : 'files were'} left out: reading is denied.`;
