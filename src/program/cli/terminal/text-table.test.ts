import { describe, expect, it } from "vitest";
import { textTable } from "./text-table.ts";

it("aligns columns under their headings, without trailing blanks", () => {
  expect(
    textTable(
      ["NODE", "OK", "MESSAGE"],
      [
        ["n", "True", ""],
        ["node-10", "False", "no such file"],
      ],
    ),
  ).toBe(["NODE      OK      MESSAGE", "n         True", "node-10   False   no such file"].join("\n"));
});

it("without rows is only its headings", () => {
  expect(textTable(["A", "B"], [])).toBe("A   B");
});

it("does not count colours as width", () => {
  const red = (text: string): string => `<${text}>`;
  expect(textTable(["A", "B"], [[{ text: "xyz", paint: red }, "1"]])).toBe("A     B\n<xyz>   1");
});

describe("a cell that is too wide", () => {
  it.each([
    ["between words", "a long one", ["a", "long", "one"]],
    ["between words first", "a b;cd", ["a", "b;cd"]],
    ["after separators", "a;b;c;d;e", ["a;b;", "c;d;e"]],
    ["anywhere else", "abcdefgh", ["abcde", "fgh"]],
    ["after its indent", "  abcdef", ["  abc", "  def"]],
  ])("breaks %s, and shifts no other cell", (_, text, lines) => {
    const [heading, first, ...others] = textTable(
      ["A", "B"],
      [
        [text, "1"],
        ["abc", "2"],
      ],
      5,
    ).split("\n");
    expect([first?.slice(0, -1).trimEnd(), ...others.slice(0, -1)]).toEqual(lines);
    const column = heading?.indexOf("B") ?? -1;
    expect([first?.[column], others.at(-1)?.[column]]).toEqual(["1", "2"]);
  });

  it("stays whole at the end of a row", () => {
    const rows = [
      ["a", "a long one"],
      ["a long one", ""],
    ];
    expect(textTable(["A", "B"], rows, 5)).toBe("A   B\na   a long one\na long one");
  });
});

it("takes more rows than a function call takes arguments", () => {
  const rows = Array.from({ length: 200_000 }, () => ["a"]);
  expect(textTable(["A"], rows)).toHaveLength(400_001);
});
