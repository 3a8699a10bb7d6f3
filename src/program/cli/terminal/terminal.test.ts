import { expect, test } from "vitest";
import { wantsColours } from "./terminal.ts";

test.each([
  [{}, true, true],
  [{}, false, false],
  [{ TERM: "dumb" }, true, false],
  [{ NO_COLOR: "1" }, true, false],
  [{ NO_COLOR: "" }, true, true],
  [{ FORCE_COLOR: "1" }, false, true],
  [{ FORCE_COLOR: "" }, false, false],
  [{ FORCE_COLOR: "0" }, true, false],
  [{ FORCE_COLOR: "1", NO_COLOR: "1" }, true, false],
])("with %j, and a terminal: %j, there are colours: %j", (env, seen, expected) => {
  expect(wantsColours(env, seen)).toBe(expected);
});
