import { expect, test } from "vitest";
import { sources } from "./imports.ts";

test("sources use LinkedAbort: on Node 20 AbortSignal.any may never abort, and AbortSignal.timeout with it", () => {
  const found = sources().filter(({ text }) => /\bAbortSignal\.(any|timeout)\(/.test(text));
  expect(found.map(({ path }) => path)).toEqual([]);
});
