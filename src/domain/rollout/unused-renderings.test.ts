import { expect, test } from "vitest";
import { apiVersion, type MachineConfig, type MachineConfigPool } from "../machine-config/api.ts";
import { annotations, ownAnnotations } from "./node-annotations.ts";
import type { RolloutNode } from "./rollout-node.ts";
import { unusedRenderings } from "./unused-renderings.ts";

const long = "2026-01-01T00:00:00Z";
const now = "2026-01-01T12:00:00Z";

function rendered(name: string, creationTimestamp = long): MachineConfig {
  const owner = { apiVersion, kind: "MachineConfigPool", name: "worker", uid: "u", controller: true };
  return { apiVersion, kind: "MachineConfig", metadata: { name, creationTimestamp, ownerReferences: [owner] } };
}

const pool: MachineConfigPool = {
  apiVersion,
  kind: "MachineConfigPool",
  metadata: { name: "worker" },
  spec: { configuration: { name: "rendered-worker-target" } },
  status: { configuration: { name: "rendered-worker-last" } },
};
const node: RolloutNode = {
  apiVersion: "v1",
  kind: "Node",
  metadata: {
    name: "n",
    annotations: {
      [annotations.currentConfig]: "rendered-worker-current",
      [annotations.desiredConfig]: "rendered-worker-desired",
      [ownAnnotations.previousConfig]: "rendered-worker-boot-entry",
    },
  },
};

test("a rendering is deleted if no pool, no node and no boot entry uses it (machine-config W-4)", () => {
  const machineConfigs = [
    ...["target", "last", "current", "desired", "boot-entry", "unused"].map((name) =>
      rendered(`rendered-worker-${name}`),
    ),
    rendered("rendered-worker-young", "2026-01-01T11:55:00Z"),
    {
      ...rendered("rendered-worker-of-a-user"),
      metadata: { name: "rendered-worker-of-a-user", creationTimestamp: long },
    },
  ];
  const { old, againInMs } = unusedRenderings({ pool: "worker", machineConfigs, pools: [pool], nodes: [node], now });
  expect(old.map(({ metadata }) => metadata.name)).toEqual(["rendered-worker-unused"]);
  expect(againInMs).toBe(5 * 60_000);
});

test.each([
  ["where all are used", long, "rendered-worker-last", undefined],
  ["and again after ten minutes where the clock was set back", "2026-01-01T13:00:00Z", "rendered-worker-x", 600_000],
])("nothing is deleted %s", (_, created, name, againInMs) => {
  const machineConfigs = [rendered("rendered-worker-target"), rendered(name, created)];
  expect(unusedRenderings({ pool: "worker", machineConfigs, pools: [pool], nodes: [node], now })).toEqual({
    old: [],
    ...(againInMs === undefined ? {} : { againInMs }),
  });
});
