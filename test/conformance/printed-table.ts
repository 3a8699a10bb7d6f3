/** The cells of kubectl's output. Columns are at least two blanks apart; empty cells are lost. */
export function rows(text: string): string[][] {
  return text.split("\n").map((line) => line.trimEnd().split(/ {2,}/));
}

/** The cells of one column, by its heading. */
export function column(table: readonly (readonly string[])[], heading: string): string[] {
  const at = table[0]?.indexOf(heading) ?? -1;
  return table.slice(1).map((row) => row[at] ?? "");
}

/** The cells, with every age replaced by `AGE`. */
export function ageless(text: string): string[][] {
  return rows(text).map((row) => row.map((cell) => (/^(?:\d+[smhd])+$/.test(cell) ? "AGE" : cell)));
}
