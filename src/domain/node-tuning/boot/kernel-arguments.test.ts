import { expect, test } from "vitest";
import { splitArguments } from "./kernel-arguments.ts";

test.each<[string, string[]]>([
  ["", []],
  ["  ", []],
  ["a=1  b", ["a=1", "b"]],
  ["a\tb\nc\rd\fe\vf ", ["a", "b", "c", "d", "e", "f"]],
  ['x="1 2" y', ['x="1 2"', "y"]],
  ['"a b"=c', ['"a b"=c']],
  ['x="1 2', ['x="1 2']],
  ['x=\\"1 2\\"', ['x=\\"1 2\\"']],
  ["b a b", ["b", "a", "b"]],
])("%j is %j", (line, words) => {
  expect(splitArguments(line)).toEqual(words);
});
