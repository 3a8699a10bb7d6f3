interface Bar {
  readonly what: string;
  readonly measured: string;
  readonly met: boolean;
}

/** Prints tables as they are measured, and the bars (expected limits) at the end. */
export class Report {
  readonly #bars: Bar[] = [];

  table(title: string, header: readonly string[], rows: readonly (readonly string[])[]): void {
    console.log(`\n${title}\n\n${table(header, rows)}`);
  }

  bar(bar: Bar): void {
    this.#bars.push(bar);
  }

  printBars(): void {
    if (this.#bars.length === 0) return;
    this.table(
      "Bars",
      ["bar", "measured", ""],
      this.#bars.map(({ what, measured, met }) => [what, measured, met ? "pass" : "miss"]),
    );
  }
}

export interface Setting {
  /** Fewer rounds and requests: for a quick check, not for figures to keep. */
  readonly quick: boolean;
  readonly report: Report;
}

/** One benchmark. Throws `WrongError` when a server responds wrongly. */
export interface Section {
  readonly name: string;
  measure(setting: Setting): Promise<void>;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** With three or more significant digits: `4,120`, `38.5`, `1.62`. */
export function shown(value: number | undefined, unit = ""): string {
  if (value === undefined || Number.isNaN(value)) return "-";
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  const text = value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return unit === "" ? text : `${text} ${unit}`;
}

export function ratio(ours: number | undefined, theirs: number | undefined): string {
  if (ours === undefined || theirs === undefined) return "-";
  return `${shown(ours / theirs)} ×`;
}

export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("   ")
      .trimEnd();
  return [line(header), widths.map((width) => "-".repeat(width)).join("   "), ...rows.map(line)].join("\n");
}
