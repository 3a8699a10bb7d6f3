/** The known word that differs from a word by one letter: another, one more, one less, or two exchanged. */
export function nearMiss(word: string, known: Iterable<string>): string | undefined {
  for (const other of known) if (isNear(word, other)) return other;
  return undefined;
}

function isNear(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1 || Math.min(a.length, b.length) < 4) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  // A letter, then the rest: comparing the first letters decides for most words.
  if (start + 2 < Math.min(a.length, b.length) && a.at(-1) !== b.at(-1)) return false;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  if (a.length - start - end > 2 || b.length - start - end > 2) return false;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  // `gc_thresh4` and `ipv6` are meant.
  if (/\d/.test(left + right)) return false;
  if (left.length <= 1 && right.length <= 1) return left !== right;
  return left.length === 2 && right === `${left[1]}${left[0]}`;
}
