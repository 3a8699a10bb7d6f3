import { expect, test } from "vitest";
import { formatLine, readLogQuery, selectLines } from "./log-query.ts";

const now = Date.parse("2026-01-01T00:01:40Z");
const lines = [0, 50, 100].map((seconds) => ({ at: now - 100_000 + seconds * 1000, text: `at ${seconds}` }));

test.each([
  ["", ["at 0", "at 50", "at 100"]],
  ["tailLines=2", ["at 50", "at 100"]],
  ["tailLines=0", []],
  ["sinceSeconds=60", ["at 50", "at 100"]],
  ["sinceTime=2026-01-01T00:01:00Z", ["at 100"]],
  ["sinceSeconds=60&tailLines=1", ["at 100"]],
])("?%s selects lines", (query, texts) => {
  const read = readLogQuery(new URLSearchParams(query), now);
  expect(selectLines(lines, read).map(({ text }) => text)).toEqual(texts);
});

test.each(["tailLines=-1", "limitBytes=1e3", "sinceSeconds=x", "sinceTime=yesterday"])("?%s is rejected", (query) => {
  expect(() => readLogQuery(new URLSearchParams(query), now)).toThrow(RangeError);
});

test("timestamps have nine digits, as those of container runtimes", () => {
  const query = readLogQuery(new URLSearchParams("timestamps=true"), now);
  expect(formatLine({ at: now, text: "x" }, query)).toBe("2026-01-01T00:01:40.000000000Z x\n");
});
