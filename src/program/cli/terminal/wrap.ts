/** Of wrapped text, where it is read on a wide screen or from a file. */
export const widestLine = 110;

/** How wide text may be on a terminal with so many columns, to the right of an indent. */
export function textWidth(columns: number | undefined, indent: number): number {
  return Math.max(20, Math.min(columns ?? widestLine, widestLine) - indent);
}

/** Lines of whole words, each at most `width` characters unless a single word is longer. */
export function wrapWords<T>(
  words: readonly T[],
  width: number,
  textOf: (word: T) => string = (word) => String(word),
): T[][] {
  const lines: T[][] = [];
  let room = 0;
  for (const word of words) {
    const { length } = textOf(word);
    const line = lines.at(-1);
    if (line && room > length) {
      line.push(word);
      room -= length + 1;
    } else {
      lines.push([word]);
      room = width - length;
    }
  }
  return lines;
}

export function wrapText(text: string, width: number): string[] {
  return wrapWords(text.split(" "), width).map((line) => line.join(" "));
}

/**
 * Texts with colours of their own, in lines that fit a terminal; elsewhere in one line. Lines after the first are two columns
 * further in.
 */
export function paragraph(
  parts: readonly { readonly text: string; readonly paint: (text: string) => string }[],
  columns: number | undefined,
  indent = 0,
): string[] {
  const words = parts.flatMap(({ text, paint }) => text.split(" ").map((word) => ({ word, paint })));
  const width = columns === undefined ? Infinity : textWidth(columns, indent + 2);
  return wrapWords(words, width, ({ word }) => word).map(
    (line, at) => " ".repeat(at === 0 ? indent : indent + 2) + line.map(({ word, paint }) => paint(word)).join(" "),
  );
}

/** One line of text, which a terminal does not break within words. */
export function wholeWords(text: string, columns: number | undefined): string {
  return paragraph([{ text, paint: String }], columns).join("\n");
}
