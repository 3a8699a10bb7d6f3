import { describe, expect, it, test } from "vitest";
import type { KubeObject } from "../../language/object/meta.ts";
import { poolNodeOf } from "./pool-node.ts";

const node = (status?: unknown): KubeObject => ({ apiVersion: "v1", kind: "Node", metadata: { name: "n" }, status });
const profile = (status?: unknown): KubeObject => ({ ...node(status), kind: "Profile" });

describe("a node of a pool", () => {
  it("is known from its Node and from the report of its agent", () => {
    const hardware = {
      architecture: "arm64",
      numaNodes: [{ id: 0, memory: "64Ki", cores: ["0/0:0-1"] }],
      offline: "2",
      memory: "128Ki",
    };
    const status = { nodeInfo: { architecture: "arm64" }, capacity: { cpu: "2", memory: "1Gi" } };
    expect(poolNodeOf(node(status), profile({ hardware }))).toEqual({
      name: "n",
      architecture: "arm64",
      cpus: 2,
      memoryKiB: 1024 * 1024,
      topology: {
        numaNodes: [{ id: 0, memoryKiB: 64, cores: [{ id: 0, socket: 0, cpus: [0, 1] }] }],
        offline: [2],
        memoryKiB: 128,
      },
    });
  });

  test.each<[string, number | undefined]>([
    ["2k", 2000],
    ["4000m", 4],
    ["500m", undefined],
    ["0", undefined],
    ["-1", undefined],
    ["many", undefined],
  ])("has %s CPUs: %s", (cpu, cpus) => {
    expect(poolNodeOf(node({ capacity: { cpu } })).cpus).toBe(cpus);
  });

  test.each<unknown>([undefined, null, 7, { nodeInfo: null, capacity: [] }, { nodeInfo: { architecture: 1 } }])(
    "of which nothing is known is a name: %j",
    (status) => {
      expect(poolNodeOf(node(status), profile({ hardware: status }))).toEqual({ name: "n" });
    },
  );
});
