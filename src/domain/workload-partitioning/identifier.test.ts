import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../language/object/meta.ts";
import { partitioningMode, partitioningStatus } from "./identifier.ts";

const infrastructure = (status?: unknown): KubeObject => ({
  apiVersion: "config.openshift.io/v1",
  kind: "Infrastructure",
  metadata: { name: "cluster" },
  ...(status === undefined ? {} : { status }),
});
const configMap = (data?: unknown): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "attune-partitioning" },
  ...(data === undefined ? {} : { data }),
});
const said = { cpuPartitioning: "AllNodes", controlPlaneTopology: "SingleReplica", infrastructureTopology: "External" };

describe("the identifier of a partitioned cluster", () => {
  it.each([
    ["an Infrastructure", infrastructure(said)],
    ["the ConfigMap that stands in for it", configMap(said)],
  ])("is %s, with the same keys", (_, object) => {
    expect(partitioningStatus(object)).toEqual({
      state: "known",
      mode: "AllNodes",
      controlPlaneTopology: "SingleReplica",
      infrastructureTopology: "External",
    });
  });

  it.each([
    ["absent", undefined],
    ["empty", infrastructure()],
    ["empty", infrastructure({})],
    ["empty", infrastructure(null)],
    ["empty", infrastructure("AllNodes")],
    ["empty", configMap()],
    ["known", infrastructure({ platform: "None" })],
    ["known", configMap({ cpuPartitioning: "None" })],
  ])("is %s and means None as %j", (state, object) => {
    expect(partitioningStatus(object)).toEqual({
      state,
      mode: "None",
      controlPlaneTopology: "",
      infrastructureTopology: "",
    });
  });

  it.each(["allnodes", "Workers", "", null, true, ["AllNodes"], { toString: "AllNodes" }])(
    "means None with the mode %j",
    (cpuPartitioning) => {
      expect(partitioningMode(infrastructure({ cpuPartitioning }))).toBe("None");
      expect(partitioningMode(configMap({ cpuPartitioning }))).toBe("None");
    },
  );
});
