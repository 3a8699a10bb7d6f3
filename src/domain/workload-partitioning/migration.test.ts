import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../language/object/meta.ts";
import { partitioningStatus } from "./identifier.ts";
import { arePartitioned, mayMigrate } from "./migration.ts";

const infrastructure = (status: object): KubeObject => ({
  apiVersion: "",
  kind: "Infrastructure",
  metadata: {},
  status,
});
const node = (status: object): KubeObject => ({ apiVersion: "v1", kind: "Node", metadata: {}, status });
const cores = { "management.workload.openshift.io/cores": "8k" };
const single = { controlPlaneTopology: "SingleReplica" };

describe("a single node that was partitioned before its identifier could say it", () => {
  it.each<[boolean, KubeObject | undefined]>([
    [true, infrastructure({ ...single, cpuPartitioning: "None" })],
    [true, infrastructure(single)],
    [false, infrastructure({ ...single, cpuPartitioning: "AllNodes" })],
    [false, infrastructure({ controlPlaneTopology: "HighlyAvailable" })],
    [false, infrastructure({})],
    [false, undefined],
  ])("may be there, %s, as the identifier is %j", (expected, identifier) => {
    expect(mayMigrate(partitioningStatus(identifier))).toBe(expected);
  });

  it.each<[boolean, KubeObject[]]>([
    [true, [node({ capacity: cores })]],
    [true, [node({ capacity: cores, allocatable: {} })]],
    [false, [node({ allocatable: cores })]],
    [false, [node({ capacity: cores }), node({ capacity: { cpu: "8" } })]],
    [false, [node({})]],
    [false, []],
  ])("is known, %s, by the capacity of its nodes %j", (expected, nodes) => {
    expect(arePartitioned(nodes)).toBe(expected);
  });
});
