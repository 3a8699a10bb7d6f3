import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planChanges } from "../../../src/domain/plan/plan-changes.ts";
import { previewObject } from "../../../src/domain/plan/preview-objects.ts";
import { formatRanges } from "../../../src/language/cpu/cpu-set.ts";
import type { KubeObject } from "../../../src/language/object/meta.ts";
import { clusterState, type DesignCluster } from "./cluster-objects.ts";
import { forecast, rebootsOf } from "./forecast.ts";
import { cnfLabel, exampleCluster, performanceProfile } from "./testing/cluster.ts";

/** As the browser gets it: projected, and as JSON. */
function sent(cluster: DesignCluster): DesignCluster {
  const objects = cluster.objects.map(previewObject);
  return JSON.parse(JSON.stringify({ ...cluster, objects })) as DesignCluster;
}

const cpus = fc.uniqueArray(fc.nat(33), { minLength: 1, maxLength: 34 }).map((all) => all.toSorted((a, b) => a - b));
/** Some are valid, some are not. */
const anySpec = fc.record(
  {
    cpu: fc.oneof(
      // Each CPU in one set.
      fc.nat(30).map((count) => ({
        reserved: formatRanges(range(0, count)),
        isolated: formatRanges(range(count + 1, 31)),
      })),
      fc.record(
        {
          reserved: cpus.map(formatRanges),
          isolated: cpus.map(formatRanges),
          offlined: cpus.map(formatRanges),
          shared: cpus.map(formatRanges),
        },
        { requiredKeys: ["reserved", "isolated"] },
      ),
    ),
    nodeSelector: fc.constantFrom({ [cnfLabel]: "" }, { "node-role.kubernetes.io/worker": "" }, { nowhere: "" }),
    hugepages: fc.record({
      defaultHugepagesSize: fc.constantFrom("1G", "2M"),
      pages: fc.array(
        fc.record({
          size: fc.constantFrom("1G", "2M"),
          count: fc.integer({ min: 0, max: 20 }),
          node: fc.constantFrom(0, 1, 5),
        }),
        { maxLength: 2 },
      ),
    }),
    realTimeKernel: fc.record({ enabled: fc.boolean() }),
    workloadHints: fc.record(
      { realTime: fc.boolean(), highPowerConsumption: fc.boolean(), perPodPowerManagement: fc.boolean() },
      { requiredKeys: [] },
    ),
    numa: fc.record({ topologyPolicy: fc.constantFrom("single-numa-node", "restricted", "best-effort", "none") }),
    net: fc.record({ userLevelNetworking: fc.boolean() }),
    additionalKernelArgs: fc.subarray(["nosmt", "quiet", "isolcpus=1"]),
  },
  { requiredKeys: ["cpu", "nodeSelector"] },
);

describe("forecast", () => {
  it("is what the server plans, for 60 profiles", () => {
    const whole = exampleCluster();
    const cluster = clusterState(sent(whole));
    const seen = { refused: 0, planned: 0, rebooting: 0 };
    for (const spec of fc.sample(anySpec, { numRuns: 60, seed: 17 })) {
      const profile = performanceProfile(spec);
      const server = planChanges({ writes: [{ place: "this design", after: profile }], cluster: clusterState(whole) });
      const browser = forecast(profile, cluster);
      if (server.type === "refused") {
        seen.refused++;
        expect(browser.plan).toBeUndefined();
        const errors = browser.findings.filter(({ severity }) => severity === "error");
        expect(
          errors.map(({ field, message }) => `this design: PerformanceProfile latency: ${field}: ${message}`),
        ).toEqual(server.problems);
        continue;
      }
      seen.planned++;
      const { pools, ...rest } = server.plan;
      expect(browser.plan).toMatchObject(rest);
      expect(browser.plan?.pools.map(({ updates, order }) => ({ updates, order }))).toEqual(
        pools.map(({ updates, order }) => ({ updates, order })),
      );
      expect(browser.reboots).toEqual(rebootsOf(server.plan));
      if (browser.reboots.length > 0) seen.rebooting++;
    }
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(5);
  });

  it("of an edit compares with the profile that is there", () => {
    const cluster = exampleCluster();
    const { objects } = cluster;
    const first = performanceProfile({ cpu: { reserved: "0-3", isolated: "4-31" }, nodeSelector: { [cnfLabel]: "" } });
    const derived = forecast(first, clusterState(cluster)).plan!;
    expect(derived.objects.filter((one) => one.derived).map(({ kind, change }) => [kind, change])).toEqual([
      ["Tuned", "create"],
      ["MachineConfig", "create"],
      ["KubeletConfig", "create"],
      ["RuntimeClass", "create"],
    ]);
    const stored: KubeObject = { ...first, metadata: { ...first.metadata, uid: "1" } };
    const state = clusterState({ ...cluster, objects: [...objects, stored] });
    const [own] = forecast(performanceProfile({ ...(first as { spec?: object }).spec, numa: {} }), state).plan!.objects;
    expect(own).toMatchObject({ kind: "PerformanceProfile", change: "change" });
  });
});

describe("what the browser gets", () => {
  it("has no contents of other people's MachineConfigs, no images and no history", () => {
    const text = JSON.stringify(sent(exampleCluster()));
    expect(text).not.toContain("do-not-send");
    expect(text).not.toContain("managedFields");
    expect(text).not.toContain("Heartbeat");
  });
});

function range(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
}
