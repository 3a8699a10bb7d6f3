/** A command as one types it: words between blanks, with `'…'` for one that has blanks in it. */
export function words(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|[^\s'])+/g)].map(([word]) => word.replaceAll("'", ""));
}
