import { coloursOf, type Terminal } from "../terminal.ts";

/** A terminal that records what is written to it. */
export class RecordingTerminal implements Terminal {
  stdout = "";
  stderr = "";
  readonly colours = coloursOf(false);
  readonly out = (text: string): void => void (this.stdout += text);
  readonly err = (text: string): void => void (this.stderr += text);

  /** The lines of standard output, with ` | ` between columns. */
  get lines(): string[] {
    return this.stdout.split("\n").map((line) => line.replaceAll(/ {2,}/g, " | ").trim());
  }
}
