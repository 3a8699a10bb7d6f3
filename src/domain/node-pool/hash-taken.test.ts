import { expect, it } from "vitest";
import { apiVersion, type NodePool } from "./api.ts";
import { hashTaken } from "./hash-taken.ts";
import { hashKeys } from "./node-pool-caches.ts";

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

const shared = (a: NodePool, b: NodePool): string[] => hashKeys(a).filter((key) => hashKeys(b).includes(key));

it("only names of one hosted cluster have anything in common", () => {
  expect(shared(older, younger)).toHaveLength(1);
  expect(shared(older, nodePool("liquid", "", "other"))).toEqual([]);
  expect(shared(older, nodePool("np1", ""))).toEqual([]);
});

// Their orders would have one name, and each of them would be written in turn without end.
it("names that are shortened to one have it in common, though their hashes differ", () => {
  const [one, other] = ["ddiitnt", "noluuun"].map((end) =>
    nodePool(`a-node-pool-with-a-name-that-is-longer-than-fifty-${end}`, ""),
  ) as [NodePool, NodePool];
  expect(shared(one, other)).toEqual([expect.stringMatching(/\/pool-order-/)]);
});
