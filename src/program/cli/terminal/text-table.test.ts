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
    ["after separators within names", "ab-cdef", ["ab-", "cdef"]],
    ["anywhere else", "abcdefgh", ["abcde", "fgh"]],
    ["after its indent", "  abcdef", ["  abc", "  def"]],
  ])("breaks %s, and shifts no other cell", (_, text, lines) => {
    const [heading, first, ...others] = textTable(
      ["A", "B"],
      [
        [text, "1"],
        ["abc", "2"],
      ],
      { widest: 5 },
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
    expect(textTable(["A", "B"], rows, { widest: 5 })).toBe("A   B\na   a long one\na long one");
  });
});

describe("on a terminal", () => {
  const rows = [
    ["[title]"],
    ["net.core.rmem_max", "16777216", "a/tuned.conf:12", "the value was changed by another process"],
  ];
  const headings = ["OPTION", "WANTED", "FROM", "NOTE"];

  it("is as wide as elsewhere where it fits", () => {
    expect(textTable(headings, rows, { columns: 100 })).toBe(textTable(headings, rows));
  });

  it.each([80, 60, 50])("has no line of more than %i characters, and loses no character", (columns) => {
    const table = textTable(headings, rows, { columns });
    expect(table.split("\n").filter((line) => line.length > columns)).toEqual([]);
    const [, ...cells] = table.split("\n");
    const letters = (text: string): string => [...text.replaceAll(/\s/g, "")].toSorted().join("");
    expect(letters(cells.join(""))).toBe(letters(rows.flat().join("")));
  });

  it("has titles that take the whole line", () => {
    const lines = textTable(headings, [["[a title that is wider than its column]"], ...rows], { columns: 60 }).split(
      "\n",
    );
    expect(lines[1]).toBe("[a title that is wider than its column]");
  });

  it("shrinks the widest columns first", () => {
    expect(textTable(["A", "B"], [["abc", "one two three four"]], { columns: 16 }).split("\n")).toEqual([
      "A     B",
      "abc   one two",
      "      three four",
    ]);
  });
});

it("takes more rows than a function call takes arguments", () => {
  const rows = Array.from({ length: 200_000 }, () => ["a"]);
  expect(textTable(["A"], rows)).toHaveLength(400_001);
});
