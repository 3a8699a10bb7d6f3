/** `paint` adds colours, which take no room. */
export type Cell = string | { readonly text: string; paint(text: string): string };

/**
 * Rows under headings as kubectl prints them: columns as wide as their widest cell, three spaces apart. A cell wider than
 * `widest` shifts the rest of its own row, and no other row.
 */
export function textTable(headings: readonly Cell[], rows: readonly (readonly Cell[])[], widest = Infinity): string {
  const all = [headings, ...rows];
  const widths = headings.map((_, column) => {
    let width = 0;
    for (const row of all) {
      const { length } = textOf(row[column]);
      if (length > width && length <= widest) width = length;
    }
    return width;
  });
  return all.map((row) => line(row, widths)).join("\n");
}

function line(cells: readonly Cell[], widths: readonly number[]): string {
  const last = cells.findLastIndex((cell) => textOf(cell) !== "");
  let text = "";
  for (const [column, cell] of cells.slice(0, last + 1).entries()) {
    const plain = textOf(cell);
    text += typeof cell === "string" ? plain : cell.paint(plain);
    if (column < last) text += " ".repeat(Math.max(0, (widths[column] ?? 0) - plain.length) + 3);
  }
  return text;
}

export function textOf(cell: Cell | undefined): string {
  return typeof cell === "object" ? cell.text : (cell ?? "");
}

/** Values may be longer than a screen is wide, and must not make their column as wide. */
export const widestCell = 60;

/** A table without its empty columns. */
export function reportTable(headings: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const used = headings.map((_, column) => rows.some((row) => textOf(row[column]) !== ""));
  const kept = <T>(cells: readonly T[]): T[] => cells.filter((_, column) => used[column]);
  return textTable(kept(headings), rows.map(kept), widestCell);
}
