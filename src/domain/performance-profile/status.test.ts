import { expect, test } from "vitest";
import { apiVersion, type MachineConfigPool } from "../machine-config/api.ts";
import { releasedSetsAnnotation } from "../rollout/derived-set.ts";
import { rolloutState } from "./status.ts";

const counts = { machineCount: 2, readyMachineCount: 1 };

test.each<[string, NonNullable<MachineConfigPool["status"]>, string]>([
  ["that counts its nodes", { ...counts, updatedMachineCount: 1, observedGeneration: 2 }, "1 of 2 nodes are updated"],
  [
    "whose nodes are not ready",
    { ...counts, updatedMachineCount: 2, observedGeneration: 2 },
    "all nodes are updated, 1 of 2 are ready",
  ],
  [
    "whose counts are those of the config before",
    { ...counts, updatedMachineCount: 2, observedGeneration: 1 },
    "its nodes are about to be told",
  ],
])("a profile says how far its pool is: one %s", (_, status, message) => {
  const metadata = { name: "rt", generation: 2, annotations: { [releasedSetsAnnotation]: "rt/1" } };
  const spec = { configuration: { name: "rendered-rt-2" } };
  const pool: MachineConfigPool = { apiVersion, kind: "MachineConfigPool", metadata, spec, status };
  expect(rolloutState({ pool, set: "rt/1", isOurs: true, nodeProfiles: [] })).toEqual({
    type: "progressing",
    reason: "MCPUpdating",
    message: `MachineConfigPool rt: ${message}`,
  });
});
