/** The cells of what kubectl printed. Columns are two or more blanks apart; an empty cell is not seen. */
export function rows(text: string): string[][] {
  return text.split("\n").map((line) => line.trimEnd().split(/ {2,}/));
}

/** One column's cells, by its heading. */
export function column(table: readonly (readonly string[])[], heading: string): string[] {
  const at = table[0]?.indexOf(heading) ?? -1;
  return table.slice(1).map((row) => row[at] ?? "");
}

/** The cells with every age written as `AGE`, since no two runs take equally long. */
export function ageless(text: string): string[][] {
  return rows(text).map((row) => row.map((cell) => (/^(?:\d+[smhd])+$/.test(cell) ? "AGE" : cell)));
}
