import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../architecture/imports.ts";
import { numbers, unanswered } from "../specification/numbers.ts";
import { differences } from "./parity.ts";
import { casesOf } from "./pool-config-cases.ts";

test.each([
  ["kubelet-config.yaml", "kc-"],
  ["container-runtime-config.yaml", "crc-"],
])("the cases of %s that differ on purpose are listed with their weak points", (file, prefix) => {
  const differing = casesOf(file).flatMap(({ id, differs }): [string, string][] =>
    differs ? [[id, differs.weakPoint.replace("machine-config ", "")]] : [],
  );
  const listed = [...differences()].filter(([id]) => id.startsWith(prefix));
  expect(new Map(differing)).toEqual(new Map(listed));
});

test("every weak point is listed with tests that name it, or with the reason why there is none", () => {
  const text = readFileSync(join(root, "docs/machine-config-parity.md"), "utf8");
  const rows = [...text.matchAll(/^\| (W-\d+) \| ([^|]*) \| ([^|]*) \| ([^|]*) \|$/gm)];
  const known = Object.entries(numbers).filter(([number]) => number.startsWith("machine-config "));
  expect(rows.map(([, point, title]) => [`machine-config ${point}`, title])).toEqual(known);
  for (const [, point, , instead, tests = ""] of rows) {
    const number = `machine-config ${point}`;
    const paths = Array.from(tests.matchAll(/`([^`]+)`/g), ([, path = ""]) => path);
    if (paths.length === 0) expect(unanswered[number]).toBe(instead);
    const named = new RegExp(`${number}\\b`);
    expect(paths.filter((path) => !named.test(readFileSync(join(root, path), "utf8")))).toEqual([]);
  }
});
