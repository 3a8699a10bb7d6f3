import { type ClusterState, outcomeTable } from "./convergence.ts";
import { Redraw, type Size } from "../terminal/redraw.ts";
import { poolTable } from "./pool-outcome.ts";

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
  readonly #redraw: Redraw;
  #tables = "";
  #isSettled = false;
  #footerIsBelow = false;

  /** `footer`: lines below the tables once the nodes have settled. */
  constructor(screen: Screen, footer = "") {
    this.#screen = screen;
    this.#footer = footer;
    this.#redraw = new Redraw(screen.out, screen.size);
  }

  readonly show = (state: ClusterState): void => {
    const tables = tablesOf(state, this.#screen.size?.columns);
    if (tables === this.#tables) return;
    this.#tables = tables;
    this.#isSettled = false;
    if (this.#redraw.isEmpty || this.#redraw.hasRoom(tables)) this.#redraw.draw(tables);
  };

  /** Prints the last state. */
  settle(): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    const { out, size } = this.#screen;
    if (size) return this.#redraw.draw(this.#tables + this.#footer);
    this.#redraw.draw(this.#tables);
    if (!this.#footerIsBelow && this.#footer !== "") out(`${this.#footer.slice(1)}\n`);
    this.#footerIsBelow = true;
  }
}

function tablesOf({ nodes, pools }: ClusterState, columns: number | undefined): string {
  const tables = [outcomeTable(nodes, columns), ...(pools.length > 0 ? [poolTable(pools, columns)] : [])];
  return tables.join("\n\n");
}
