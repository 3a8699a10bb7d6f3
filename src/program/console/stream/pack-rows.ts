import type { PackedColumn, PackedRows } from "../../../../console/protocol/frames.ts";

/** Rows by column. A column of texts in which few differ becomes a dictionary: names of pools and profiles. */
export function packRows(rows: ReadonlyMap<string, object>): PackedRows {
  const names = new Set<string>();
  for (const row of rows.values()) for (const name of Object.keys(row)) names.add(name);
  const columns: Record<string, PackedColumn> = {};
  const list = [...rows.values()] as Record<string, unknown>[];
  for (const name of names) columns[name] = packed(list.map((row) => row[name] ?? null));
  return { keys: [...rows.keys()], columns };
}

/** Shorter ones gain nothing. */
const fewest = 20;

function packed(values: readonly unknown[]): PackedColumn {
  if (values.length < fewest || values.some((value) => typeof value === "object" && value !== null)) return values;
  const places = new Map<unknown, number>();
  const at: number[] = [];
  for (const value of values) {
    let place = places.get(value);
    if (place === undefined) places.set(value, (place = places.size));
    if (places.size > values.length / 4) return values;
    at.push(place);
  }
  return { of: [...places.keys()], at };
}
