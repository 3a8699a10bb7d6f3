import { expect, it } from "vitest";
import { textTable } from "./text-table.ts";

it("aligns columns under their headings and leaves nothing behind the last", () => {
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

it("is only its headings when there is nothing to show", () => {
  expect(textTable(["A", "B"], [])).toBe("A   B");
});
