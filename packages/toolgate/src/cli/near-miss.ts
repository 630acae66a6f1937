/** True when one slip of a finger turns one word into the other: a letter more, less, other or swapped. */
export function isNearMiss(word: string, other: string): boolean {
  if (word === other) return false;
  let start = 0;
  while (start < word.length && word[start] === other[start]) start += 1;
  const [a, b] = [word.slice(start), other.slice(start)];
  const isSwapped = a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2);
  return a.slice(1) === b.slice(1) || a.slice(1) === b || a === b.slice(1) || isSwapped;
}
