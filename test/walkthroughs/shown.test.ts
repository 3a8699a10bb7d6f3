import { expect, it } from "vitest";
import { isShown } from "./shown.ts";
import { stepsOf } from "./page.ts";

it.each<[string, string[], string, boolean]>([
  ["equal lines", ["a  b"], "a b\n", true],
  ["another word", ["a b"], "a c\n", false],
  ["columns of other widths", ["NAME  AGE", "a     1s"], "NAME        AGE\na           1s\n", true],
  ["any text in a line", ["a … c"], "a b c\n", true],
  ["any lines", ["a", "…", "d"], "a\nb\nc\nd\n", true],
  ["no lines at all in place of any lines", ["a", "…", "d"], "a\nd\n", true],
  ["a line too many", ["a"], "a\nb\n", false],
  ["a line too few", ["a", "b"], "a\n", false],
  ["signs that mean something in a pattern", ["[a] (b) $c 1.2 *"], "[a] (b) $c 1.2 *\n", true],
  ["a dot, which is only a dot", ["1.2"], "1x2\n", false],
])("compares %s", (_, shows, output, same) => {
  expect(isShown(shows, output)).toBe(same);
});

it("compares only the beginning of a terminal that goes on", () => {
  expect([isShown(["a"], "a\nb\n", false), isShown(["b"], "a\nb\n", false)]).toEqual([true, false]);
});

it("reads files, commands with their output, and other terminals from a page", () => {
  const page = `# Page
\`\`\`yaml a.yaml
kind: A
\`\`\`
Text, and an example that nobody saves:
\`\`\`yaml
kind: B
\`\`\`
\`\`\`console
$ one \\
  more
out
$ two   # exits 2: it fails
\`\`\`
\`\`\`console second terminal
$ three
\`\`\`
`;
  expect(stepsOf(page)).toEqual([
    { type: "file", name: "a.yaml", text: "kind: A\n", line: 2 },
    { type: "command", terminal: "", command: "one \\\n  more", shows: ["out"], exits: 0, line: 10 },
    { type: "command", terminal: "", command: "two   # exits 2: it fails", shows: [], exits: 2, line: 13 },
    { type: "command", terminal: "second terminal", command: "three", shows: [], exits: 0, line: 16 },
  ]);
});

it.each([
  ["a block without an end", "```console\n$ a\n"],
  ["a block console begins with a command", "```console\nout\n```\n"],
])("refuses %s, with its line", (message, page) => {
  expect(() => stepsOf(page)).toThrow(message);
});
