import { describe, expect, it } from "vitest";
import type { NodeOutcome } from "./convergence.ts";
import { Progress, type Screen } from "./progress.ts";

const state = (message: string, nodes = 1): NodeOutcome[] =>
  Array.from({ length: nodes }, (_, index) => ({
    node: `n${index}`,
    profile: "p",
    applied: "True",
    degraded: "False",
    value: "1",
    message,
  }));

/** What is printed for these states, after each of which the nodes have settled. */
function printedAll(all: readonly (readonly NodeOutcome[][])[], size?: Screen["size"], footer?: string): string[] {
  const texts: string[] = [];
  const progress = new Progress({ out: (text) => texts.push(text), size }, footer);
  for (const states of all) {
    for (const outcomes of states) progress.show(outcomes);
    progress.settle();
  }
  return texts;
}

const printed = (states: readonly NodeOutcome[][], size?: Screen["size"]): string[] => printedAll([states], size);

const heading = "NODE   PROFILE   APPLIED   DEGRADED   VM.SWAPPINESS   MESSAGE\n";
const row = (message: string): string => `n0     p         True      False      1               ${message}\n`;

describe("the table of nodes", () => {
  it("is printed once where the first state is the last", () => {
    expect(printed([state("done"), state("done")])).toEqual([heading + row("done")]);
  });

  it("is printed at once and at the end where the output is no terminal", () => {
    expect(printed([state("a"), state("b"), state("c")])).toEqual([heading + row("a"), heading + row("c")]);
  });

  it("is redrawn in place on a terminal, when it changes", () => {
    const over = "\x1b[2A\x1b[J";
    expect(printed([state("a"), state("a"), state("b")], { columns: 100, rows: 24 })).toEqual([
      heading + row("a"),
      over + heading + row("b"),
    ]);
  });

  it("has lines that do not wrap until the last state", () => {
    const [first, last] = printed([state("much too long")], { columns: 61, rows: 24 });
    expect(first!.split("\n").every((line) => line.length <= 60)).toBe(true);
    expect(last).toContain("much too long");
  });

  it("is not redrawn where it has more rows than the terminal", () => {
    const texts = printed([state("a", 30), state("b", 30), state("c", 30)], { columns: 100, rows: 24 });
    expect(texts.map((text) => [text.includes("\x1b"), text.split("\n").length])).toEqual([
      [false, 32],
      [false, 32],
    ]);
  });

  const footer = "\n\npress Ctrl-C";
  const later = [[state("a"), state("done")], [state("done")], [state("edited"), state("applied")]];

  it("follows the nodes after they have settled: every settled state is printed, and the footer once", () => {
    expect(printedAll(later, undefined, footer)).toEqual([
      heading + row("a"),
      heading + row("done"),
      "\npress Ctrl-C\n",
      heading + row("applied"),
    ]);
  });

  it("follows the nodes in place on a terminal, with the footer below", () => {
    const over = (rows: number): string => `\x1b[${rows}A\x1b[J`;
    expect(printedAll(later, { columns: 100, rows: 24 }, footer)).toEqual([
      heading + row("a"),
      over(2) + heading + row("done"),
      `${over(2)}${heading}${row("done")}\npress Ctrl-C\n`,
      over(4) + heading + row("edited"),
      over(2) + heading + row("applied"),
      `${over(2)}${heading}${row("applied")}\npress Ctrl-C\n`,
    ]);
  });

  it("is drawn over every row of a line that wraps", () => {
    const texts = printedAll([[state("much too long for a row")], [state("b")]], { columns: 61, rows: 24 });
    expect(texts.map((text) => text.slice(0, 4))).toEqual([heading.slice(0, 4), "\x1b[2A", "\x1b[3A", "\x1b[2A"]);
  });
});
