import { describe, expect, it } from "vitest";
import type { MachineConfig } from "../machine-config/api.ts";
import { bootstrapMachineConfig } from "./bootstrap-machine-config.ts";
import { installPartitioning } from "./partitioning-mode.ts";

const about = { apiVersion: "", kind: "", metadata: {} };
const pinned = bootstrapMachineConfig("master");
const config = (spec: unknown): MachineConfig => ({ ...about, spec: spec as MachineConfig["spec"] });

describe("whether a new cluster is partitioned", () => {
  it.each<[string, string, object, MachineConfig[]]>([
    ["as its Infrastructure says", "AllNodes", { cpuPartitioning: "AllNodes" }, []],
    ["not where that says nothing", "None", {}, [pinned]],
    ["on a single node whose kubelet gets its file", "AllNodes", { controlPlaneTopology: "SingleReplica" }, [pinned]],
    [
      "on a single node against what the Infrastructure says",
      "AllNodes",
      { controlPlaneTopology: "SingleReplica", cpuPartitioning: "None" },
      [config({}), pinned],
    ],
    ["not on a single node without the file", "None", { controlPlaneTopology: "SingleReplica" }, []],
    ["not on several nodes with the file", "None", { controlPlaneTopology: "HighlyAvailable" }, [pinned]],
    [
      "not by what nobody can read",
      "None",
      { controlPlaneTopology: "SingleReplica" },
      [config(null), config({ config: "text" }), config({ config: { storage: { files: [null, 5] } } })],
    ],
  ])("is known %s", (_, mode, status, machineConfigs) => {
    expect(installPartitioning({ infrastructure: { ...about, status }, machineConfigs })).toBe(mode);
  });

  it("is no without an Infrastructure", () => {
    expect(installPartitioning({ machineConfigs: [pinned] })).toBe("None");
  });
});
