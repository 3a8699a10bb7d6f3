import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { numbers } from "../specification/numbers.ts";
import { casesOf } from "./cases.ts";
import {
  differences,
  functionDifferences,
  hashDifferences,
  inPlaceDifferences,
  rolloutDifferences,
} from "./differences.ts";

const text = readFileSync(join(import.meta.dirname, "../../docs/hosted-parity.md"), "utf8");
const [onPurpose = "", notRun = ""] = text.slice(text.indexOf("## On purpose")).split("## Not run yet");

const files = ["mirror-tuneds", "hosted-edits", "node-pools", "boot-arguments", "tuning-config", "performance-profile"];
const run = [
  ...files,
  "config-manifests",
  "copies",
  "profile-status",
  "rollout-hash",
  "names-events-copies",
  "rollout",
  "node-pool-deletion",
  "in-place",
  "profiles",
  "profile-life-cycle",
  "two-pools",
  "isolation",
  "end-to-end",
].flatMap((file) => casesOf<{ id: string }>(file).map(({ id }) => id));

function idsIn(part: string): string[] {
  const rows = part.matchAll(/^\| (`[^|]*`) \|/gm);
  return Array.from(rows, ([, ids = ""]) => Array.from(ids.matchAll(/`([^`]+)`/g), ([, id = ""]) => id)).flat();
}

it("lists every case that differs, and no other", () => {
  const differing = [differences, functionDifferences, hashDifferences, inPlaceDifferences, rolloutDifferences].flatMap(
    (some) => Object.keys(some),
  );
  expect(idsIn(onPurpose).toSorted()).toEqual(differing.toSorted());
  expect(differing.filter((id) => !run.includes(id))).toEqual([]);
});

it("names a weak point that exists, or the source documents", () => {
  const points = Array.from(onPurpose.matchAll(/^\| `[^|]*` \| ([^|]*) \|/gm), ([, point = ""]) => point);
  const known = points.map((point) => (point.startsWith("W-") ? `hosted ${point}` : point));
  expect(known.filter((point) => point !== "documents" && !(point in numbers))).toEqual([]);
  expect(points.length).toBeGreaterThan(20);
});

it("lists as not run only cases that are not run, each once", () => {
  const waiting = idsIn(notRun);
  expect(waiting.filter((id) => run.includes(id))).toEqual([]);
  expect(new Set(waiting).size).toBe(waiting.length);
  // All recorded cases are in one of the two lists.
  expect(run.length + waiting.length).toBe(323);
});
