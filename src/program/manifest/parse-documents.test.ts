import { expect, test } from "vitest";
import { parseDocuments } from "./parse-documents.ts";

test.each<[string, string, unknown[]]>([
  ["YAML", "a: yes\n", [{ place: "f", line: 1, value: { a: true } }]],
  ["JSON", '{"a": "yes"}', [{ place: "f", line: 1, value: { a: "yes" } }]],
  ["a mark of the order of bytes before JSON", '\uFEFF{"a": 1}', [{ place: "f", line: 1, value: { a: 1 } }]],
  ["YAML that looks like JSON", "{a: 1, # one\n b: 2}", [{ place: "f", line: 1, value: { a: 1, b: 2 } }]],
  [
    "several documents",
    'a: 1\n---\n\nb: 2\n---\n{"c": 3}',
    [
      { place: "f, document 1", line: 1, value: { a: 1 } },
      { place: "f, document 2", line: 2, value: { b: 2 } },
      { place: "f, document 3", line: 6, value: { c: 3 } },
    ],
  ],
  [
    "one that is wrong among others",
    "a: 1\n---\nb: 2\nc: [\n---\nd: 4\n",
    [
      { place: "f, document 1", line: 1, value: { a: 1 } },
      { place: "f, document 2", problem: expect.stringMatching(/^line 4: /) },
      { place: "f, document 3", line: 5, value: { d: 4 } },
    ],
  ],
  ["JSON that does not end", '\n{"a": {\n', [{ place: "f", problem: expect.stringMatching(/^line [23]: /) }]],
  ["JSON without end", `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`, [{ place: "f", problem: expect.anything() }]],
  [
    "a name that objects have by themselves",
    '{"__proto__": 1}',
    [{ place: "f", line: 1, value: JSON.parse('{"__proto__": 1}') }],
  ],
])("reads %s", async (_, text, expected) => {
  expect(await parseDocuments("f", text)).toEqual(expected);
});

test("reading many documents takes linear time", async () => {
  const count = 10_000;
  const parsed = await parseDocuments("f", '{"a": 1,\n"b": [1, 2, 3]}\n'.repeat(count));
  expect(parsed).toHaveLength(count);
  expect(parsed.at(-1)).toMatchObject({ line: 2 * count - 1 });
});
