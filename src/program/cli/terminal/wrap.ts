/** Of wrapped text, where it is read on a wide screen or from a file. */
const widestLine = 110;

/** How wide text may be on a terminal with so many columns, to the right of an indent. */
export function textWidth(columns: number | undefined, indent: number): number {
  return Math.max(20, Math.min(columns ?? widestLine, widestLine) - indent);
}

/** Lines of whole words, each at most `width` characters unless a single word is longer. */
export function wrapWords(words: readonly string[], width: number): string[][] {
  const lines: string[][] = [];
  let room = 0;
  for (const word of words) {
    const line = lines.at(-1);
    if (line && room > word.length) {
      line.push(word);
      room -= word.length + 1;
    } else {
      lines.push([word]);
      room = width - word.length;
    }
  }
  return lines;
}

export function wrapText(text: string, width: number): string[] {
  return wrapWords(text.split(" "), width).map((line) => line.join(" "));
}
