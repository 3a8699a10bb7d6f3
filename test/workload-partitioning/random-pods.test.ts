import * as fc from "fast-check";
import { expect, it } from "vitest";
import { releases } from "../../src/domain/workload-partitioning/release.ts";
import { pod as podKind } from "../../src/embedded/apiserver/kinds/core/pod/pod.ts";
import { create } from "../../src/embedded/apiserver/kinds/testing/run-strategy.ts";
import { deepFreeze } from "../../src/language/object/json.ts";
import { viewOf } from "./cases.ts";
import { PodProperties } from "./pod-properties.ts";
import { randomCluster, randomPod } from "./random-pod.ts";

const isLong = Boolean(process.env["ATTUNE_LONG"]);
const runs = isLong ? 100_000 : 300;
if (!isLong) console.log(`not run: all but ${runs} of 100,000 random pods (only with ATTUNE_LONG)`);

it(
  "partitioning P-1, partitioning P-4: random pods stay valid, keep class and CPU, and are admitted twice alike, in every release",
  { timeout: 3_600_000 },
  () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(randomPod, randomCluster, (body, cluster) => {
        const { object, faults } = create(podKind, body);
        fc.pre(faults.length === 0);
        const properties = new PodProperties(deepFreeze(object));
        for (const release of Object.values(releases)) {
          const review = { operation: "CREATE", subresource: "", user: {}, view: viewOf(cluster), release };
          const { rule, fault } = properties.check(review);
          seen.set(rule, (seen.get(rule) ?? 0) + 1);
          if (fault !== undefined) throw new Error(fault);
        }
      }),
      // Always the same pods: chance must not fail a test.
      { numRuns: runs, seed: 15 },
    );
    console.log(`decisions on ${runs} pods`, Object.fromEntries(seen));
    const rules = ["rewritten", "qos-guaranteed", "qos-would-change", "cpu-limit-and-request", "cpu-out-of-range"];
    expect(rules.filter((rule) => !seen.has(rule))).toEqual([]);
  },
);
