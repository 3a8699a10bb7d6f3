import { execFileSync } from "node:child_process";
import { release } from "node:os";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** Figures of a run, for the table in `docs/real-node.md`. */
export class Figures {
  readonly #rows: [story: string, figure: string][] = [];

  add(story: string, figure: string): void {
    this.#rows.push([story, figure]);
    console.log(`${story}: ${figure}`);
  }

  /** Seconds since `began`, which is of `performance.now()`. */
  addSeconds(story: string, began: number): number {
    const seconds = (performance.now() - began) / 1000;
    this.add(story, `${seconds.toFixed(1)} s`);
    return seconds;
  }

  /** As a table of Markdown. */
  write(path: string, versions: string): void {
    const rows = this.#rows.map(([story, figure]) => `| ${story} | ${figure} |`);
    const day = new Date().toISOString().slice(0, 10);
    const lines = [`${day}, ${versions}, Linux ${release()}.`, "", "| story | figure |", "|---|---|", ...rows, ""];
    writeFileSync(path, lines.join("\n"));
  }
}

/** Versions of the programs that a run used. */
export function versionsOf(assets: string): string {
  const first = (program: string, ...words: string[]): string =>
    execFileSync(program, words, { encoding: "utf8" }).split("\n")[0] ?? "";
  return [
    first(join(assets, "kubelet"), "--version"),
    first("containerd", "--version"),
    first("runc", "--version"),
  ].join(", ");
}
