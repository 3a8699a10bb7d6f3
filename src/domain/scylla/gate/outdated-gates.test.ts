import { describe, expect, it } from "vitest";
import type { ScyllaPod } from "../scylla-pod.ts";
import { scyllaPodLabels } from "../scylla-pod.ts";
import { gateName } from "./gate-names.ts";
import { areAllReady, gatesSince, outdatedGates, type StatefulSet } from "./outdated-gates.ts";
import { sidecarCommand } from "./sidecar.ts";

const owner = { apiVersion: "apps/v1", kind: "StatefulSet", name: "set", uid: "s", controller: true };

function pod(name: string, image?: string, more: { metadata?: object; status?: object } = {}): ScyllaPod {
  const sidecar = image === undefined ? [] : [{ name: gateName, image, command: [...sidecarCommand] }];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "db",
      uid: name,
      creationTimestamp: "2026-01-01T00:00:00Z",
      ownerReferences: [owner],
      ...more.metadata,
    },
    spec: { nodeName: "n", containers: [{ name: "scylla" }, ...sidecar] },
    status: {
      conditions: [{ type: "Ready", status: "True" }],
      containerStatuses: [{ name: "scylla", containerID: "c" }],
      ...more.status,
    },
  };
}

const outdated = (pods: readonly ScyllaPod[], more: Partial<Parameters<typeof outdatedGates>[0]> = {}): unknown =>
  outdatedGates({
    pods,
    isTargeted: () => true,
    releaseOf: () => ({ containerId: "c", node: "n" }),
    image: "attune:2",
    since: "2026-01-02T00:00:00Z",
    ...more,
  }).map(({ metadata }) => metadata.name);

describe("a gate is outdated", () => {
  it("if it has another version, or is missing; the last pod of a StatefulSet comes first", () => {
    expect(outdated([pod("a-2", "attune:1"), pod("a-10"), pod("a-1", "attune:2")])).toEqual(["a-10", "a-2"]);
  });

  it.each<[string, ScyllaPod, Parameters<typeof outdated>[1]?]>([
    ["nothing creates its pod again", pod("a", "attune:1", { metadata: { ownerReferences: [] } })],
    ["no agent tunes for it", pod("a", "attune:1"), { isTargeted: () => false }],
    [
      "its pod was created since this version runs: it would get the same again",
      pod("a", "attune:1", { metadata: { creationTimestamp: "2026-01-02T00:00:00Z" } }),
    ],
    ["its node is not tuned for it yet", pod("a", "attune:1"), { releaseOf: () => undefined }],
    ["its node was tuned for another container", pod("a", "attune:1"), { releaseOf: () => ({ containerId: "d" }) }],
    ["it is not ready", pod("a", "attune:1", { status: { conditions: [{ type: "Ready", status: "False" }] } })],
  ])("not while %s", (_, one, more) => {
    expect(outdated([one], more)).toEqual([]);
  });
});

it("since when gates have an image is noted for one image", () => {
  const noted = "example.com:5000/attune:2 since 2026-01-02T00:00:00Z";
  expect(gatesSince(noted, "example.com:5000/attune:2")).toBe("2026-01-02T00:00:00Z");
  expect([gatesSince(noted, "attune:3"), gatesSince(undefined, "attune:3")]).toEqual([undefined, undefined]);
});

describe("a namespace has all databases ready", () => {
  const set = (ready: number, more: Partial<StatefulSet> = {}): StatefulSet => ({
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "s", generation: 2 },
    spec: { replicas: 3, template: { metadata: { labels: { ...scyllaPodLabels } } } },
    status: { observedGeneration: 2, readyReplicas: ready },
    ...more,
  });

  it.each<[string, StatefulSet[], boolean]>([
    ["all replicas of all racks", [set(3), set(3)], true],
    ["one is missing in another rack", [set(3), set(2)], false],
    ["its controller has not seen the last change", [set(3, { metadata: { name: "s", generation: 3 } })], false],
    ["another StatefulSet is no database", [set(3), set(0, { spec: { replicas: 3 } })], true],
    ["one is scaled to none", [set(0, { spec: { ...set(0).spec, replicas: 0 } })], true],
  ])("%s", (_, sets, ready) => {
    expect(areAllReady(sets)).toBe(ready);
  });
});
