import { describe, expect, it } from "vitest";
import { eventually } from "../node-tuning/eventually.ts";
import { fast, killAtEachWrite, longestChangeMs } from "./killed-at-writes.ts";
import { tunedCluster } from "./profile-cluster.ts";
import { operatorUntil } from "./stopped-operator.ts";

const isLong = process.env["ATTUNE_LONG"] !== undefined;

describe("an operator that is killed while it carries out a PerformanceProfile", { timeout: 1_800_000 }, () => {
  it("costs no second rollout and leaves nothing behind, at any write (machine-config W-20)", async () => {
    const cluster = await tunedCluster(["a", "b"]);
    const { client } = cluster;
    const writes = isLong ? { first: 1, last: Infinity } : { first: 8, last: 8 };
    const results = await killAtEachWrite(cluster, writes, {
      kill: async (at, over) => {
        const killed = operatorUntil(client, at, { clock: fast });
        await Promise.race([killed.stopped, eventually("the change is over", over, longestChangeMs)]);
        await killed.stop();
        return killed.reached();
      },
      finish: async (over) => {
        const operator = operatorUntil(client, Infinity, { clock: fast });
        await eventually("the change is over", over, longestChangeMs);
        await operator.stop();
      },
    });
    expect(results.length).toBeGreaterThanOrEqual(isLong ? 60 : 3);
    expect(results.filter((text) => !text.endsWith(": 1 rollouts"))).toEqual([]);
  });
});
