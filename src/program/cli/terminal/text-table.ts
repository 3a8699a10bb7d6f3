/** `paint` adds colours, which take no room. */
export type Cell = string | { readonly text: string; paint(text: string): string };

/**
 * Rows under headings as kubectl prints them: columns as wide as their widest cell, three spaces apart. A cell wider than
 * `widest` continues below, unless nothing follows it in its row.
 */
export function textTable(headings: readonly Cell[], rows: readonly (readonly Cell[])[], widest = Infinity): string {
  const all = [headings, ...rows.flatMap((row) => wrappedRow(row, widest))];
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

function wrappedRow(row: readonly Cell[], widest: number): (readonly Cell[])[] {
  const last = row.findLastIndex((cell) => textOf(cell) !== "");
  if (!row.some((cell, column) => column < last && textOf(cell).length > widest)) return [row];
  const columns = row.map((cell, column) => {
    const texts = column < last ? chunks(textOf(cell), widest) : [textOf(cell)];
    return texts.map((text): Cell => (typeof cell === "string" ? text : { ...cell, text }));
  });
  const height = Math.max(...columns.map(({ length }) => length));
  return Array.from({ length: height }, (_, at) => columns.map((texts) => texts[at] ?? ""));
}

/** Breaks between words, or after the separators of lists and paths, and keeps the indent. */
function chunks(text: string, widest: number): string[] {
  const [indent = ""] = /^ */.exec(text) ?? [];
  const found: string[] = [];
  let rest = text.slice(indent.length);
  while (indent.length + rest.length > widest) {
    const room = Math.max(1, widest - indent.length);
    const head = rest.slice(0, room);
    const end = (/^.* /.exec(head) ?? /^.*[;,|/]/.exec(head))?.[0].length ?? room;
    found.push(indent + rest.slice(0, end).trimEnd());
    rest = rest.slice(end);
    if (rest === "") return found;
  }
  return [...found, indent + rest];
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
