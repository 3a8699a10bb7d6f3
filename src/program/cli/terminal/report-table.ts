import { type Cell, textOf, textTable } from "./text-table.ts";

/** Some values are longer than a screen is wide; they should not push everything else off it. */
export const widestCell = 60;

/** A table without the columns in which nothing would stand. */
export function reportTable(headings: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const used = headings.map((_, column) => rows.some((row) => textOf(row[column]) !== ""));
  const kept = <T>(cells: readonly T[]): T[] => cells.filter((_, column) => used[column]);
  return textTable(kept(headings), rows.map(kept), widestCell);
}
