import { expect, it } from "vitest";
import { printable } from "./printable.ts";

it.each([
  ["isolated_cores=2-3 → näh", "isolated_cores=2-3 → näh"],
  ["a\nb\tc\r", "a\\nb\\tc\\r"],
  ["\u001B[31mred\u0007", "\\u{1b}[31mred\\u{7}"],
  ["to the \u202Etfel", "to the \\u{202e}tfel"],
])("%j is printed as %j", (text, printed) => {
  expect(printable(text)).toBe(printed);
});
