const meanings: Readonly<Record<string, string>> = {
  grep: 'No matches found',
  rg: 'No matches found',
  egrep: 'No matches found',
  fgrep: 'No matches found',
  'git grep': 'No matches found',
  find: 'Some folders could not be searched',
  diff: 'The files differ',
  'git diff': 'The files differ',
  test: 'The condition is false',
  '[': 'The condition is false',
};

/**
 * What exit code 1 says when it is an answer and no failure: that of grep, diff, test and the like as
 * the last command. A rough reading; when in doubt there is none, and 1 is a failure.
 */
export function meaningOfExit(
  command: string,
  exitCode: number,
  stderrIsEmpty: boolean,
): string | undefined {
  if (exitCode !== 1) return undefined;
  const last = lastCommand(command);
  // After && the 1 may be an earlier command's, which then would have said something.
  if (!last || (last.afterAnd && !stderrIsEmpty)) return undefined;
  const words = last.text.split(/\s+/).filter(Boolean);
  while (/^[A-Za-z_]\w*=/.test(words[0] ?? '')) words.shift();
  const [first = '', second = ''] = words;
  const name = first === 'git' ? `git ${second}` : first;
  return Object.hasOwn(meanings, name) ? meanings[name] : undefined;
}

function lastCommand(command: string): { text: string; afterAnd: boolean } | undefined {
  if (/[`]|\$\(|<<|[<>]\(|(^|[\s;&|])[({]/.test(command)) return undefined;
  let from = 0;
  let afterAnd = false;
  let quote = '';
  for (let at = 0; at < command.length; at += 1) {
    const character = command[at] ?? '';
    if (quote !== "'" && character === '\\') at += 1;
    else if (quote) quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (/[;|&\n]/.test(character) && command.slice(at + 1).trim() !== '') {
      if (/[<>]/.test(command[at - 1] ?? '') || (character === '&' && command[at + 1] === '>'))
        continue;
      const twice = command[at + 1] === character;
      afterAnd = character === '&' && twice;
      if (twice || command[at + 1] === '&') at += 1;
      from = at + 1;
    }
  }
  return quote ? undefined : { text: command.slice(from), afterAnd };
}
