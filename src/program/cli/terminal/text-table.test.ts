import { expect, it } from "vitest";
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

it("lets a cell that is too wide shift only its own row", () => {
  const rows = [
    ["a long one", "1"],
    ["abc", "2"],
  ];
  expect(textTable(["A", "B"], rows, 5)).toBe("A     B\na long one   1\nabc   2");
});

it("takes more rows than a function call takes arguments", () => {
  const rows = Array.from({ length: 200_000 }, () => ["a"]);
  expect(textTable(["A"], rows)).toHaveLength(400_001);
});
