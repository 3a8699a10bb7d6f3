import { expect, test } from "vitest";
import { splitDocuments } from "./split-documents.ts";

test.each<[string, string, [string, number][]]>([
  ["one document", "a: 1\n", [["a: 1", 1]]],
  [
    "several, each with its line",
    "a: 1\n---\nb: 2\n---\nc: 3\n",
    [
      ["a: 1", 1],
      ["b: 2", 2],
      ["c: 3", 4],
    ],
  ],
  ["a first line of dashes", "---\na: 1\n", [["a: 1", 1]]],
  [
    "what stands behind the dashes",
    "--- # first\na: 1\n--- {b: 2}\n",
    [
      ["# first\na: 1", 1],
      ["{b: 2}", 3],
    ],
  ],
  [
    "lines that end as on Windows",
    "a: 1\r\n---\r\nb: 2\r\n",
    [
      ["a: 1", 1],
      ["b: 2", 2],
    ],
  ],
  ["dashes within a text", "a: |\n  x\n  ---\n  y\n", [["a: |\n  x\n  ---\n  y", 1]]],
  ["more dashes than three, which separate nothing", "a: 1\n----\n", [["a: 1\n----", 1]]],
  ["documents of nothing but comments, which are none", "# a\n---\n\n---\nb: 2\n---\n", [["b: 2", 4]]],
  ["nothing", "", []],
  ["JSON", '{"a": "}{"}', [['{"a": "}{"}', 1]]],
  [
    "JSON objects one after the other",
    '{"a": 1}\n\n{"b": "\\"}"}\n',
    [
      ['{"a": 1}', 1],
      ['{"b": "\\"}"}', 3],
    ],
  ],
  [
    "JSON and YAML in one text",
    '{"a": 1}\n{"b": 2}\n---\nc: 3\n---\n{"d":\n4}\n{"e": 5}',
    [
      ['{"a": 1}', 1],
      ['{"b": 2}', 2],
      ["c: 3", 3],
      ['{"d":\n4}', 6],
      ['{"e": 5}', 8],
    ],
  ],
  ["brackets in quotes of either kind", "{a: '}', b: \"}\"}", [["{a: '}', b: \"}\"}", 1]]],
  ["JSON that does not end, for its reader to refuse", '{"a": [', [['{"a": [', 1]]],
])("splits %s", (_, text, expected) => {
  expect(splitDocuments(text).map((one) => [one.text.trim(), one.line])).toEqual(expected);
});
