import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { numbers } from "../specification/numbers.ts";
import { fixture, type RecordedCase, type RecordedNode } from "./cases.ts";
import { differences, installationDifferences } from "./differences.ts";

const text = readFileSync(join(import.meta.dirname, "../../docs/workload-partitioning-parity.md"), "utf8");
const [everywhere = "", documented = ""] = text
  .slice(text.indexOf("## In all releases"), text.indexOf("## At installation"))
  .split("## In the release `documented`");

const rows = (part: string): [string[], string][] =>
  Array.from(part.matchAll(/^\| (`[^|]*`) \| ([^|]*) \|/gm), ([, ids = "", point = ""]) => [
    Array.from(ids.matchAll(/`([^`]+)`/g), ([, id = ""]) => id),
    point,
  ]);
const idsIn = (part: string): string[] =>
  rows(part)
    .flatMap(([ids]) => ids)
    .toSorted();
const idsOf = (release: keyof typeof differences): string[] => [
  ...new Set(Object.keys(differences[release] ?? {}).map((key) => key.split("/")[1] ?? "")),
];

it("lists every case that differs, and no other", () => {
  expect(idsIn(everywhere)).toEqual(idsOf("current").toSorted());
  expect(idsOf("4.16")).toEqual(idsOf("current"));
  expect(Object.keys(differences).toSorted()).toEqual(["4.16", "current", "documented"]);
  expect(idsIn(documented)).toEqual(
    idsOf("documented")
      .filter((id) => !idsOf("current").includes(id))
      .toSorted(),
  );
});

it("lists no case that agrees", () => {
  for (const [release, some] of Object.entries(differences))
    for (const [key, difference] of Object.entries(some)) {
      const [file = "", id] = key.split("/");
      const recorded = fixture<(RecordedCase | RecordedNode)[]>(file).find((one) => one.id === id);
      const { expect: expected } = recorded ?? { expect: {} };
      const compared =
        file === "node-validate"
          ? expected
          : (expected as RecordedCase["expect"])[release === "4.16" ? release : "current"];
      expect(recorded).toBeDefined();
      expect(difference).not.toEqual(compared);
    }
});

it("lists every case of an installation that differs, and no other", () => {
  const atInstallation = text.slice(text.indexOf("## At installation"));
  expect(idsIn(atInstallation)).toEqual(Object.keys(installationDifferences).toSorted());
});

it("names a weak point that exists, or what the row is about", () => {
  const points = [...rows(everywhere), ...rows(documented)].map(([, point]) => point);
  const others = ["documents", "JSON", "list", "nodes"];
  expect(points.filter((point) => !others.includes(point) && !(point in numbers))).toEqual([]);
  expect(points).toHaveLength(9);
});
