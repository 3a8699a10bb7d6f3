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
    for (const nodes of states) progress.show({ nodes, pools: [] });
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

  it("has lines that fit the terminal, with every word, in every state", () => {
    const drawn = printed([state("much too long"), state("also too long")], { columns: 61, rows: 24 });
    const texts = drawn.map((text) => text.replace("\x1b[4A\x1b[J", ""));
    expect(Math.max(...texts.flatMap((text) => text.split("\n").map(({ length }) => length)))).toBeLessThanOrEqual(61);
    expect(texts.map((text) => text.replace(/\s+/g, " "))).toEqual([
      expect.stringContaining("much too long"),
      expect.stringContaining("also too long"),
    ]);
  });

  it("comes before that of pools, which says what each waits for", () => {
    const texts: string[] = [];
    const progress = new Progress({ out: (text) => texts.push(text), size: { columns: 80, rows: 24 } });
    const pool = { pool: "worker", nodes: 2, updated: 1, config: "rendered-worker-0123456789abcdef" };
    progress.show({ nodes: state("done"), pools: [{ ...pool, waitsFor: "its nodes to get the config" }] });
    progress.show({ nodes: state("done"), pools: [{ ...pool, updated: 2 }] });
    const pools = (updated: number, waitsFor: string): string =>
      `\nPOOL     NODES   UPDATED   CONFIG         WAITS FOR\nworker   2       ${updated}         0123456789ab   ${waitsFor}\n`;
    expect(texts).toEqual([
      `${heading}${row("done")}${pools(1, "its nodes to get the config")}`,
      `\x1b[5A\x1b[J${heading}${row("done")}${pools(2, "nothing")}`,
    ]);
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
    const footer = `\n\n${"x".repeat(100)}`;
    const texts = printedAll([[state("a")], [state("b")]], { columns: 61, rows: 24 }, footer);
    expect(texts.map((text) => text.slice(0, 4))).toEqual([heading.slice(0, 4), "\x1b[2A", "\x1b[5A", "\x1b[2A"]);
  });
});
