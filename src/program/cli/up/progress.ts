import { type NodeOutcome, outcomeTable } from "./convergence.ts";

export interface Screen {
  readonly out: (text: string) => void;
  /** Of the terminal; absent where the output is not one. */
  readonly size?: { readonly columns: number; readonly rows: number } | undefined;
}

/**
 * The table of nodes: shown at once, and later states in its place on a terminal with room for it. Elsewhere only the first
 * and the last state are printed.
 */
export class Progress {
  readonly #screen: Screen;
  #drawn = "";
  #last = "";

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  readonly show = (outcomes: readonly NodeOutcome[]): void => {
    this.#last = outcomeTable(outcomes);
    const { size } = this.#screen;
    const inPlace = size !== undefined && outcomes.length + 1 < size.rows;
    if (inPlace) this.#draw(cut(this.#last, size.columns), true);
    else if (this.#drawn === "") this.#draw(this.#last, false);
  };

  /** Prints the last state, with its lines whole. */
  end(): void {
    const { size } = this.#screen;
    this.#draw(this.#last, size !== undefined && this.#last.split("\n").length < size.rows);
  }

  #draw(table: string, inPlace: boolean): void {
    if (table === this.#drawn) return;
    const above = inPlace && this.#drawn !== "" ? `\x1b[${this.#drawn.split("\n").length}A\x1b[J` : "";
    this.#screen.out(`${above}${table}\n`);
    this.#drawn = table;
  }
}

/** A line that wraps takes two rows, and the next state would be drawn too low. */
function cut(table: string, columns: number): string {
  return table
    .split("\n")
    .map((line) => line.slice(0, columns - 1))
    .join("\n");
}
