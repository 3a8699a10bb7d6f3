import { describe, expect, it } from "vitest";
import type { CpuSpec, PerformanceProfile } from "../../../src/domain/performance-profile/api.ts";
import { clusterState } from "./cluster-objects.ts";
import { cpusOfFinding, fixOf } from "./fixes.ts";
import { forecast } from "./forecast.ts";
import { begun, changed, redone, undone } from "./history.ts";
import { cnfLabel, exampleCluster, performanceProfile, topology } from "./testing/cluster.ts";

const cluster = clusterState(exampleCluster());

describe("a fix", () => {
  it.each<[string, CpuSpec, readonly number[], CpuSpec]>([
    [
      "CoreIsSplit",
      { reserved: "0-1,16", isolated: "2-15,17-31" },
      [1, 17],
      { reserved: "0-1,16-17", isolated: "2-15,18-31" },
    ],
    [
      "CpuPoolsOverlap",
      { reserved: "0-1,16-17", isolated: "1-15,17-31" },
      [1, 17],
      { reserved: "0-1,16-17", isolated: "2-15,18-31" },
    ],
    [
      "CpuZeroOfflined",
      { reserved: "1,17", isolated: "2-15,18-31", offlined: "0,16" },
      [0],
      { reserved: "0-1,16-17", isolated: "2-15,18-31" },
    ],
    [
      "CpuZeroIsolated",
      { reserved: "1,17", isolated: "0,2-16,18-31" },
      [0],
      { reserved: "0-1,16-17", isolated: "2-15,18-31" },
    ],
  ])("of %s ends the finding", (name, cpu, marked, fixed) => {
    const profile = performanceProfile({ cpu, nodeSelector: { [cnfLabel]: "" } }) as PerformanceProfile;
    const finding = forecast(profile, cluster).findings.find((one) => one.name === name)!;
    expect(cpusOfFinding(finding, { profile, topology })).toEqual(marked);
    const better = fixOf(finding, { profile, topology })!;
    expect(better.spec?.cpu).toEqual(fixed);
    expect(forecast(better, cluster).findings).toEqual([]);
  });

  it("is offered for no finding that has several answers", () => {
    const profile = performanceProfile({
      cpu: { reserved: "0,16", isolated: "1-14,17-31" },
      nodeSelector: { [cnfLabel]: "" },
    }) as PerformanceProfile;
    const finding = forecast(profile, cluster).findings.find(({ name }) => name === "CpuInNoPool")!;
    expect(cpusOfFinding(finding, { profile, topology })).toEqual([15]);
    expect(fixOf(finding, { profile, topology })).toBeUndefined();
  });
});

it("history goes back and forth, and a change forgets what was undone", () => {
  const history = changed(changed(begun(1), 2), 3);
  expect(undone(history).present).toBe(2);
  expect(undone(undone(undone(history))).present).toBe(1);
  expect(redone(undone(history))).toEqual(history);
  expect(redone(changed(undone(history), 4)).present).toBe(4);
});
