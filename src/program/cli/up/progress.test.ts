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

/** What is printed for these states. */
function printed(states: readonly NodeOutcome[][], size?: Screen["size"]): string[] {
  const texts: string[] = [];
  const progress = new Progress({ out: (text) => texts.push(text), size });
  for (const outcomes of states) progress.show(outcomes);
  progress.end();
  return texts;
}

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
});
