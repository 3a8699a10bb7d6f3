import type { PackedColumn, PackedRows } from "../../protocol/frames.ts";

/** The rows of a frame, in its order. */
export function* unpackRows({ keys, columns }: PackedRows): Generator<[string, object]> {
  const all = Object.entries(columns).map(([name, column]) => [name, valuesOf(column)] as const);
  for (const [at, key] of keys.entries()) {
    const row: Record<string, unknown> = {};
    for (const [name, valueAt] of all) {
      const value = valueAt(at);
      if (value !== null) row[name] = value;
    }
    yield [key, row];
  }
}

function valuesOf(column: PackedColumn): (at: number) => unknown {
  if (!("of" in column)) return (at) => column[at];
  const { of, at: places } = column;
  return (at) => of[places[at] ?? 0];
}
