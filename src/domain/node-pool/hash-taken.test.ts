import { expect, it } from "vitest";
import { apiVersion, type NodePool } from "./api.ts";
import { hashTaken } from "./hash-taken.ts";
import { hashKey } from "./node-pool-caches.ts";

const nodePool = (name: string, creationTimestamp: string, clusterName = "demo"): NodePool => ({
  apiVersion,
  kind: "NodePool",
  metadata: { name, namespace: "clusters", creationTimestamp },
  spec: { clusterName },
});

const older = nodePool("liquid", "2026-01-01T00:00:00Z");
const younger = nodePool("costarring", "2026-01-02T00:00:00Z");

it("of NodePools whose names have one hash, the oldest keeps it (hosted W-10)", () => {
  for (const same of [
    [older, younger],
    [younger, older],
  ]) {
    expect(hashTaken(older, same)).toBeUndefined();
    expect(hashTaken(younger, same)).toContain("NodePool liquid");
  }
  expect(hashTaken(younger, [younger])).toBeUndefined();
});

it("of those of one second, the first by name keeps it", () => {
  const same = [older, nodePool("costarring", older.metadata.creationTimestamp ?? "")];
  expect(same.map((one) => hashTaken(one, same) === undefined)).toEqual([false, true]);
});

it("only names of one hosted cluster have anything in common", () => {
  expect(hashKey(older)).toBe(hashKey(younger));
  expect(hashKey(older)).not.toBe(hashKey(nodePool("liquid", "", "other")));
  expect(hashKey(older)).not.toBe(hashKey(nodePool("np1", "")));
});
