import { expect, it } from "vitest";
import { createPromMetrics } from "../../cluster/runtime/metrics/prom-metrics.ts";
import type { MachineConfigPool } from "../../domain/machine-config/api.ts";
import type { RolloutCaches } from "../../domain/rollout/rollout-controller.ts";
import type { Condition } from "../../language/object/condition.ts";
import { rolloutMetrics } from "./rollout-metrics.ts";

function pool(name: string, status: MachineConfigPool["status"]): Partial<MachineConfigPool> {
  return { metadata: { name }, spec: { nodeSelector: { matchLabels: { [name]: "" } } }, ...(status ? { status } : {}) };
}

it("shows the counts of each pool and masters that a custom pool selects, until the pool or the label is gone", async () => {
  const conditions = [
    { type: "Updated", status: "False" },
    { type: "Updating", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" },
    { type: "Degraded", status: "True", reason: "NodeFailed", lastTransitionTime: "2026-01-01T00:01:00Z" },
  ] as const;
  const counts = {
    conditions: [...conditions] as Condition[],
    machineCount: 4,
    updatedMachineCount: 3,
    degradedMachineCount: 1,
    unavailableMachineCount: 2,
  };
  let pools = [pool("infra", counts), pool("master", undefined)];
  let labels: Record<string, string> = { infra: "", master: "" };
  const caches = {
    pools: { list: () => pools },
    nodes: { list: () => [{ metadata: { name: "m", labels: { ...labels } } }] },
  } as unknown as RolloutCaches;
  const metrics = await createPromMetrics();
  const stop = new AbortController();
  const running = rolloutMetrics(metrics, caches).run(stop.signal);
  const shown = async (): Promise<string[]> =>
    (await metrics.text()).split("\n").filter((line) => /^(mco|mcc)_/.test(line));
  const idle = ["machine", "updated_machine", "degraded_machine", "unavailable_machine"].map(
    (name) => `mco_${name}_count{pool="master"} 0`,
  );
  expect((await shown()).toSorted()).toEqual(
    [
      ...idle,
      `mco_machine_count{pool="infra"} 4`,
      `mco_updated_machine_count{pool="infra"} 3`,
      `mco_degraded_machine_count{pool="infra"} 1`,
      `mco_unavailable_machine_count{pool="infra"} 2`,
      `mco_state{pool="infra",state="Degraded",reason="NodeFailed"} ${Date.parse("2026-01-01T00:01:00Z") / 1000}`,
      `mcc_pool_alert{node="m"} 1`,
    ].toSorted(),
  );
  pools = [pool("infra", { ...counts, conditions: counts.conditions.slice(0, 2) }), ...pools.slice(1)];
  expect((await shown()).filter((line) => line.startsWith("mco_state"))).toEqual([
    `mco_state{pool="infra",state="Updating",reason=""} ${Date.parse("2026-01-01T00:00:00Z") / 1000}`,
  ]);
  pools = pools.slice(1);
  labels = { master: "" };
  expect((await shown()).toSorted()).toEqual(idle.toSorted());
  stop.abort();
  await running;
});
