import { colour } from "./redraw.ts";

/** `paint` adds colours, which take no room. */
export type Cell = string | { readonly text: string; paint(text: string): string };

export interface TableLimits {
  /** A cell wider than this continues below, unless nothing follows it in its row. */
  readonly widest?: number | undefined;
  /** Of the terminal. Columns shrink until the table fits, and every cell continues below. Absent: not a terminal. */
  readonly columns?: number | undefined;
}

const gap = 3;

/** Rows under headings as kubectl prints them: columns as wide as their widest cell, three spaces apart. */
export function textTable(
  headings: readonly Cell[],
  rows: readonly (readonly Cell[])[],
  { widest = Infinity, columns = Infinity }: TableLimits = {},
): string {
  const limits = limitsOf(headings, rows, { widest, columns });
  const all = [headings, ...rows].flatMap((row) => wrappedRow(row, limits, columns));
  const widths = widthsOf(all, limits);
  return all.map((row) => line(row, widths)).join("\n");
}

/** How wide each column is at most: the widest columns shrink first. */
function limitsOf(
  headings: readonly Cell[],
  rows: readonly (readonly Cell[])[],
  { widest, columns }: { readonly widest: number; readonly columns: number },
): number[] {
  const unlimited = headings.map(() => widest);
  if (columns === Infinity) return unlimited;
  const last = headings.length - 1;
  // A title may take the whole line.
  const isTitle = (row: readonly Cell[]): boolean => row.every((cell, column) => column === 0 || textOf(cell) === "");
  const natural = widthsOf(
    [headings, ...rows].filter((row) => !isTitle(row)),
    unlimited.map((limit, column) => (column === last ? Infinity : limit)),
  );
  const shrunk = (limit: number): number[] => natural.map((width) => Math.min(width, limit));
  const total = (widths: readonly number[]): number => widths.reduce((sum, width) => sum + width + gap, -gap);
  let limit = Math.min(columns, Math.max(...natural));
  while (limit > narrowest && total(shrunk(limit)) > columns) limit--;
  return shrunk(limit);
}

/** Below this, a cell is too narrow to be read, and some headings would break. */
const narrowest = 10;

/** Cells beyond the limit of their column do not make it wider: nothing follows them. */
function widthsOf(rows: readonly (readonly Cell[])[], limits: readonly number[]): number[] {
  return limits.map((limit, column) => {
    let width = 0;
    for (const row of rows) {
      const { length } = textOf(row[column]);
      if (length > width && length <= limit) width = length;
    }
    return width;
  });
}

function wrappedRow(row: readonly Cell[], limits: readonly number[], columns: number): (readonly Cell[])[] {
  const last = row.findLastIndex((cell) => textOf(cell) !== "");
  const start = limits.slice(0, last).reduce((sum, limit) => sum + limit + gap, 0);
  const room = (column: number): number =>
    column < last ? (limits[column] ?? Infinity) : Math.max(columns - start, narrowest);
  if (!row.some((cell, column) => textOf(cell).length > room(column))) return [row];
  const cells = row.map((cell, column) =>
    chunks(textOf(cell), room(column)).map((text): Cell => (typeof cell === "string" ? text : { ...cell, text })),
  );
  const height = Math.max(...cells.map(({ length }) => length));
  return Array.from({ length: height }, (_, at) => cells.map((texts) => texts[at] ?? ""));
}

/** Breaks between words, after the separators of lists and paths or those within names, and keeps the indent. */
function chunks(text: string, widest: number): string[] {
  const [indent = ""] = /^ */.exec(text) ?? [];
  const found: string[] = [];
  let rest = text.slice(indent.length);
  while (indent.length + rest.length > widest) {
    const room = Math.max(1, widest - indent.length);
    const head = rest.slice(0, room);
    const end = (/^.* /.exec(head) ?? /^.*[;,|/]/.exec(head) ?? /^.*[-.:_]/.exec(head))?.[0].length ?? room;
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
    if (column < last) text += " ".repeat(Math.max(0, (widths[column] ?? 0) - plain.length) + gap);
  }
  return text;
}

export function textOf(cell: Cell | undefined): string {
  return typeof cell === "object" ? cell.text : (cell ?? "");
}

/** Values may be longer than a screen is wide, and must not make their column as wide. */
export const widestCell = 60;

/** A table without its empty columns. */
export function reportTable(headings: readonly string[], rows: readonly (readonly Cell[])[], columns?: number): string {
  const used = headings.map((_, column) => rows.some((row) => textOf(row[column]) !== ""));
  const kept = <T>(cells: readonly T[]): T[] => cells.filter((_, column) => used[column]);
  return textTable(kept(headings), rows.map(kept), { widest: widestCell, columns });
}

/** A table where it is no wider than the terminal; elsewhere a few lines for each of its rows: cells would break within words. */
export function tableOrLines(table: string, lines: readonly (readonly Cell[])[], columns = Infinity): string {
  const fits = table.split("\n").every((row) => row.replaceAll(colour, "").length <= columns);
  return fits ? table : linesText(lines, columns);
}

/** Rows without headings. A row of one cell may take the whole line, and continues below its indent. */
export function linesText(rows: readonly (readonly Cell[])[], columns?: number): string {
  const width = Math.max(0, ...rows.map(({ length }) => length));
  const [first = [], ...others] = rows;
  return textTable([...first, ...Array.from({ length: width - first.length }, () => "")], others, { columns });
}
