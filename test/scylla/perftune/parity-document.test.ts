import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { numbers } from "../../specification/numbers.ts";
import { differences } from "./differences.ts";

const text = readFileSync(join(import.meta.dirname, "../../../docs/scylla-parity.md"), "utf8");

/** Cases and weak points of a section's table. */
function rows(section: string): { readonly ids: string[]; readonly point: string }[] {
  const [, body = ""] = text.split(`## ${section}\n`);
  return Array.from(
    body.split("\n## ")[0]?.matchAll(/^\| (`[^|]*`) \| ([^|]*) \|/gm) ?? [],
    ([, ids = "", point = ""]) => ({
      ids: Array.from(ids.matchAll(/`([^`]+)`/g), ([, id = ""]) => id),
      point,
    }),
  );
}

it.each([
  ["perftune: options", Object.keys(differences.options)],
  ["perftune: what is done to a host", Object.keys(differences.actions)],
  ["Lists of CPUs", Object.keys(differences.lists)],
])("%s: lists every case that differs, and no other", (section, ids) => {
  expect(
    rows(section)
      .flatMap((row) => row.ids)
      .toSorted(),
  ).toEqual(ids.toSorted());
});

it("names a weak point that exists, or what the row is about", () => {
  const others = ["precedence", "names", "scheduler", "quotes", "lists"];
  const points = [...text.matchAll(/^## (perftune: .*|Lists of CPUs)$/gm)]
    .flatMap(([, section = ""]) => rows(section))
    .map(({ point }) => point);
  expect(points).toHaveLength(6);
  expect(points.filter((point) => !others.includes(point) && !(point in numbers))).toEqual([]);
});
