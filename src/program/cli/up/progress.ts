import { type ClusterState, outcomeTable } from "./convergence.ts";
import { poolTable } from "./pool-outcome.ts";

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
 * The tables of nodes and pools: shown at once, and later states in their place on a terminal with room for them. Elsewhere only the first
 * state is printed, and those in which the nodes have settled.
 */
export class Progress {
  readonly #screen: Screen;
  readonly #footer: string;
  #tables = "";
  #isSettled = false;
  /** What was printed last. */
  #drawn = "";
  #footerIsBelow = false;

  /** `footer`: lines below the tables once the nodes have settled. */
  constructor(screen: Screen, footer = "") {
    this.#screen = screen;
    this.#footer = footer;
  }

  readonly show = (state: ClusterState): void => {
    const { size } = this.#screen;
    const tables = tablesOf(state, size?.columns);
    if (tables === this.#tables) return;
    this.#tables = tables;
    this.#isSettled = false;
    const hasRoom = size !== undefined && rowsOf(tables, size.columns) < size.rows;
    if (hasRoom || this.#drawn === "") this.#draw(tables);
  };

  /** Prints the last state. */
  settle(): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    const { out, size } = this.#screen;
    if (size) return this.#draw(this.#tables + this.#footer);
    this.#draw(this.#tables);
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

function tablesOf({ nodes, pools }: ClusterState, columns: number | undefined): string {
  const tables = [outcomeTable(nodes, columns), ...(pools.length > 0 ? [poolTable(pools, columns)] : [])];
  return tables.join("\n\n");
}
