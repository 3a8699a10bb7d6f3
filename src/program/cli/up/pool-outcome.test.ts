import { describe, expect, it } from "vitest";
import type { MachineConfigPool } from "../../../domain/machine-config/api.ts";
import type { PerformanceProfile } from "../../../domain/performance-profile/api.ts";
import { poolOutcomes } from "./pool-outcome.ts";
import { examplePerformanceProfile, examplePool } from "./worked-example.ts";

const condition = (type: string, status: "True" | "False", message = "") => ({ type, status, reason: "", message });

function pool(conditions = [condition("Updated", "True")], observedGeneration = 3): MachineConfigPool {
  const { metadata, ...rest } = examplePool();
  const status = { observedGeneration, machineCount: 1, updatedMachineCount: 1, conditions };
  return { ...rest, metadata: { ...metadata, generation: 3 }, status };
}

function paused(one: MachineConfigPool): MachineConfigPool {
  return { ...one, spec: { ...one.spec, paused: true } };
}

function profile(conditions = [condition("Available", "True")], observedGeneration = 2): PerformanceProfile {
  const { metadata, ...rest } = examplePerformanceProfile();
  return { ...rest, metadata: { ...metadata, generation: 2 }, status: { observedGeneration, conditions } };
}

describe("a pool", () => {
  const waits: [string, MachineConfigPool, PerformanceProfile, string | undefined][] = [
    ["has what is wanted", pool(), profile(), undefined],
    ["was not judged since it changed", pool([], 2), profile(), "the operator"],
    ["is being updated", pool([condition("Updated", "False")]), profile(), "its nodes to get the config"],
    ["is paused", paused(pool([condition("Updated", "False")])), profile(), "spec.paused to be false"],
    ["is degraded", pool([condition("Degraded", "True", "node-2 failed")]), profile(), "node-2 failed"],
    ["is held", pool([condition("RolloutBlocked", "True", "held for node-2")]), profile(), "held for node-2"],
    ["has a new profile", pool(), examplePerformanceProfile(), "PerformanceProfile low-latency"],
    ["has an edited profile", pool(), profile(undefined, 1), "PerformanceProfile low-latency"],
    [
      "has a profile that is being applied",
      pool(),
      profile([condition("Available", "False"), condition("Progressing", "True", "1 node restarts")]),
      "PerformanceProfile low-latency: 1 node restarts",
    ],
  ];
  it.each(waits)("that %s says what it waits for", (_, given, of, waitsFor) => {
    expect(poolOutcomes([given], [of])).toMatchObject([{ pool: "low-latency", nodes: 1, updated: 1, waitsFor }]);
  });

  it("without nodes is not shown, unless it waits", () => {
    const { status, ...empty } = pool();
    const without = { ...empty, status: { ...status, machineCount: 0 } };
    expect(poolOutcomes([without], [])).toEqual([]);
    expect(poolOutcomes([without], [examplePerformanceProfile()])).toHaveLength(1);
  });

  it("does not wait for the profile of another pool", () => {
    const other = { ...examplePerformanceProfile(), spec: { nodeSelector: { other: "" } } };
    expect(poolOutcomes([pool()], [other])[0]?.waitsFor).toBeUndefined();
  });
});
