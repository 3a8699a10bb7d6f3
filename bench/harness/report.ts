import { table } from "./figures.ts";

interface Bar {
  readonly what: string;
  readonly measured: string;
  readonly met: boolean;
}

/** What was measured, printed as it comes, and the bars it is held against, printed at the end. */
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
