import { expect, test } from "vitest";
import { coloursOf } from "./colours.ts";

test("paint ends where its text does, and goes on after other paint within", () => {
  const { bold, dim, red } = coloursOf(true);
  expect(red("a")).toBe("\x1b[31ma\x1b[39m");
  expect(bold(`a${dim("b")}c`)).toBe("\x1b[1ma\x1b[2mb\x1b[22m\x1b[1mc\x1b[22m");
});

test("without colours a text stays as it is", () => {
  for (const paint of Object.values(coloursOf(false))) expect(paint("a")).toBe("a");
});
