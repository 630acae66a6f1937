/** Makes every run of blanks outside quotes one space and trims the ends; quoted text stays as it is. */
export function collapseBlanks(text: string): string {
  if (!/\t| {2}|^ | $/.test(text)) return text;
  let out = '';
  let quote = '';
  let blank = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (!quote && (character === ' ' || character === '\t')) {
      blank = true;
      continue;
    }
    if (blank && out) out += ' ';
    blank = false;
    out += character;
    if (character === '\\' && quote !== "'") out += text[++at] ?? '';
    else if (quote) quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
  }
  return out;
}

/** The text without quotes and backslashes: what a shell sees of `r\m` and `"git" push`. */
export const withoutQuotes = (text: string): string => text.replace(/["'\\]/g, '');

/** The words of a text that no parser could read, each also by its base name and without quotes. */
export function rawWords(text: string): ReadonlySet<string> {
  const words = new Set<string>();
  for (const spelling of [text, withoutQuotes(text.replaceAll('\\\n', ''))])
    for (const word of spelling.split(/[\s;|&()<>{}`"'$=]+/)) {
      if (word === '') continue;
      words.add(word);
      words.add(word.slice(word.lastIndexOf('/') + 1));
    }
  return words;
}
