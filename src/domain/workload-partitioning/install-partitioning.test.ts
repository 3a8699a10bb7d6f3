import { describe, expect, it } from "vitest";
import type { MachineConfig } from "../machine-config/api.ts";
import { bootstrapMachineConfig } from "./bootstrap-machine-config.ts";
import { installPartitioning } from "./install-partitioning.ts";

const about = { apiVersion: "", kind: "", metadata: {} };
const pinned = bootstrapMachineConfig("master");
const config = (spec: unknown): MachineConfig => ({ ...about, spec: spec as NonNullable<MachineConfig["spec"]> });

describe("whether a new cluster is partitioned", () => {
  it.each<[string, string, object, MachineConfig[]]>([
    ["by the Infrastructure", "AllNodes", { cpuPartitioning: "AllNodes" }, []],
    ["as None if the Infrastructure does not say", "None", {}, [pinned]],
    [
      "as AllNodes on a single node whose kubelet gets its file",
      "AllNodes",
      { controlPlaneTopology: "SingleReplica" },
      [pinned],
    ],
    [
      "as AllNodes on a single node with the file, even against the Infrastructure",
      "AllNodes",
      { controlPlaneTopology: "SingleReplica", cpuPartitioning: "None" },
      [config({}), pinned],
    ],
    ["as None on a single node without the file", "None", { controlPlaneTopology: "SingleReplica" }, []],
    ["as None on several nodes with the file", "None", { controlPlaneTopology: "HighlyAvailable" }, [pinned]],
    [
      "as None with invalid MachineConfigs",
      "None",
      { controlPlaneTopology: "SingleReplica" },
      [config(null), config({ config: "text" }), config({ config: { storage: { files: [null, 5] } } })],
    ],
  ])("is decided %s", (_, mode, status, machineConfigs) => {
    expect(installPartitioning({ infrastructure: { ...about, status }, machineConfigs })).toBe(mode);
  });

  it("is None without an Infrastructure", () => {
    expect(installPartitioning({ machineConfigs: [pinned] })).toBe("None");
  });
});
