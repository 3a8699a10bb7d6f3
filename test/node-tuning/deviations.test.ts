import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { deviations } from "./deviations.ts";

test("every deviation is documented", () => {
  const text = readFileSync(join(import.meta.dirname, "../../docs/node-tuning-parity.md"), "utf8");
  const cases = new Set(Object.keys(deviations).map((where) => where.replace(/\/.*/, "")));
  expect([...cases].filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});
