import { expect, test } from "vitest";
import { withoutQuotes } from "./boot-arguments.ts";

test.each([
  ["quiet", "quiet"],
  ["a=b", "a=b"],
  ['a="b c"', "a=b c"],
  ['"a=b c"', "a=b c"],
  ['a="b', "a=b"],
  ['a=b"c d"', 'a=b"c d"'],
  ['"', ""],
])("the kernel reads %s as %s", (argument, read) => {
  expect(withoutQuotes(argument)).toBe(read);
});
