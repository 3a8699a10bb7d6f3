import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../architecture/imports.ts";
import { numbers, unanswered } from "./numbers.ts";

const cited = /\b(?:(?:machine-config|hosted|scylla) W-|partitioning P-|W-|Q-?)[0-9]+\b/g;

/** The numbers that tests and their tables name, each with a file that does. */
function found(): Map<string, string> {
  const files = ["src", "test"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) => join(folder, path)),
  );
  const answers = new Map<string, string>();
  for (const path of files)
    if (/\.test\.ts$|^test\/.*\.(ts|yaml)$/.test(path) && !path.startsWith("test/specification/"))
      for (const [number] of readFileSync(join(root, path), "utf8").matchAll(cited)) answers.set(number, path);
  return answers;
}

test("every quirk and weak point is named in a test, or listed with a reason", () => {
  const answers = found();
  const missing = Object.keys(numbers).filter((number) => !answers.has(number));
  expect(missing).toEqual(Object.keys(numbers).filter((number) => number in unanswered));
});

test("tests name only numbers that exist", () => {
  expect([...found()].filter(([number]) => !(number in numbers))).toEqual([]);
});

test("every exception has a reason and is a known number", () => {
  for (const [number, reason] of Object.entries(unanswered)) {
    expect(numbers).toHaveProperty([number]);
    expect(reason).not.toBe("");
  }
});
