/** Of a terminal. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Prints a text that changes: on a terminal in the place of the text before it, elsewhere below. */
export class Redraw {
  readonly #out: (text: string) => void;
  readonly #size: Size | undefined;
  #drawn = "";

  /** `size`: absent where the output is no terminal. */
  constructor(out: (text: string) => void, size: Size | undefined) {
    this.#out = out;
    this.#size = size;
  }

  get isEmpty(): boolean {
    return this.#drawn === "";
  }

  /** Whether the text could be replaced later. */
  hasRoom(text: string): boolean {
    return this.#size !== undefined && rowsOf(text, this.#size.columns) < this.#size.rows;
  }

  draw(text: string): void {
    if (text === this.#drawn) return;
    const size = this.#size;
    const above = size && this.#drawn !== "" ? rowsOf(this.#drawn, size.columns) : 0;
    this.#out(`${size && above > 0 && above < size.rows ? `\x1b[${above}A\x1b[J` : ""}${text}\n`);
    this.#drawn = text;
  }
}

/** A line that is too long takes several rows. */
function rowsOf(text: string, columns: number): number {
  const lines = text.replaceAll(colour, "").split("\n");
  return lines.reduce((rows, line) => rows + Math.max(1, Math.ceil(line.length / columns)), 0);
}

// oxlint-disable-next-line no-control-regex -- colours begin with the escape character
export const colour = /\u001B\[\d+m/g;
