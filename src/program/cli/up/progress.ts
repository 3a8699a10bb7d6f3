import { type NodeOutcome, outcomeTable } from "./convergence.ts";

interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface Screen {
  readonly out: (text: string) => void;
  /** Of the terminal; absent where the output is not one. */
  readonly size?: Size | undefined;
}

/**
 * The table of nodes: shown at once, and later states in its place on a terminal with room for it. Elsewhere only the first
 * state is printed, and those in which the nodes have settled.
 */
export class Progress {
  readonly #screen: Screen;
  readonly #footer: string;
  #table = "";
  #isSettled = false;
  /** What was printed last. */
  #drawn = "";
  #footerIsBelow = false;

  /** `footer`: lines below the table once the nodes have settled. */
  constructor(screen: Screen, footer = "") {
    this.#screen = screen;
    this.#footer = footer;
  }

  readonly show = (outcomes: readonly NodeOutcome[]): void => {
    const table = outcomeTable(outcomes);
    if (table === this.#table) return;
    this.#table = table;
    this.#isSettled = false;
    const { size } = this.#screen;
    if (size && outcomes.length + 1 < size.rows) this.#draw(cut(table, size.columns));
    else if (this.#drawn === "") this.#draw(table);
  };

  /** Prints the last state, with its lines whole. */
  settle(): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    const { out, size } = this.#screen;
    if (size) return this.#draw(this.#table + this.#footer);
    this.#draw(this.#table);
    if (!this.#footerIsBelow && this.#footer !== "") out(`${this.#footer.slice(1)}\n`);
    this.#footerIsBelow = true;
  }

  #draw(text: string): void {
    if (text === this.#drawn) return;
    const { out, size } = this.#screen;
    const above = size && this.#drawn !== "" ? rowsOf(this.#drawn, size.columns) : 0;
    out(`${size && above > 0 && above < size.rows ? `\x1b[${above}A\x1b[J` : ""}${text}\n`);
    this.#drawn = text;
  }
}

/** A line that is too long takes several rows. */
function rowsOf(text: string, columns: number): number {
  return text.split("\n").reduce((rows, line) => rows + Math.max(1, Math.ceil(line.length / columns)), 0);
}

/** A table that changes often is easier to read without long lines. */
function cut(table: string, columns: number): string {
  return table
    .split("\n")
    .map((line) => line.slice(0, columns - 1))
    .join("\n");
}
