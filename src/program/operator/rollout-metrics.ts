import { whenAborted } from "../../cluster/runtime/clock.ts";
import type { Runnable } from "../../cluster/runtime/controller/runnable-group.ts";
import type { Metrics } from "../../cluster/runtime/metrics/metrics.ts";
import type { MachineConfigPool } from "../../domain/machine-config/api.ts";
import { findCondition, isTrue } from "../../language/object/condition.ts";
import { parseTime } from "../../language/object/time.ts";
import { Members } from "../../domain/rollout/members.ts";
import type { RolloutCaches } from "../../domain/rollout/rollout-controller.ts";

type Count = (status: NonNullable<MachineConfigPool["status"]>) => number | undefined;

/** The names of the machine config operator. */
const counts: readonly [name: string, help: string, count: Count][] = [
  ["mco_machine_count", "Nodes of a pool.", ({ machineCount }) => machineCount],
  ["mco_updated_machine_count", "Nodes that have the config of their pool.", (status) => status.updatedMachineCount],
  ["mco_degraded_machine_count", "Nodes that could not be updated.", (status) => status.degradedMachineCount],
  ["mco_unavailable_machine_count", "Nodes that are not available.", (status) => status.unavailableMachineCount],
];

/** The first that is true is the state of a pool. */
const states = ["Degraded", "Updating", "Updated"];
interface State {
  readonly labels: { readonly pool: string; readonly state: string; readonly reason: string };
  /** Seconds since 1970. */
  readonly since: number;
}

function stateOf({ metadata, status }: MachineConfigPool): State | undefined {
  const state = states.find((type) => isTrue(status?.conditions, type));
  if (state === undefined) return undefined;
  const { reason = "", lastTransitionTime = "" } = findCondition(status?.conditions, state) ?? {};
  const labels = { pool: metadata.name ?? "", state, reason };
  return { labels, since: (parseTime(lastTransitionTime) ?? 0) / 1000 };
}

/** Counts and states of pools, and masters that custom pools select too, read when metrics are. */
export function rolloutMetrics(metrics: Metrics, { pools, nodes }: RolloutCaches): Runnable {
  const gauges = counts.map(([name, help, count]) => ({ gauge: metrics.gauge(name, help, ["pool"]), count }));
  const alert = metrics.gauge("mcc_pool_alert", "1 for a master that a custom pool selects without effect.", ["node"]);
  const stateNames = ["pool", "state", "reason"];
  const state = metrics.gauge("mco_state", "Since when a pool is in its state, in seconds since 1970.", stateNames);
  let shownStates: readonly State[] = [];
  const members = new Members();
  let shown: { readonly pools: readonly string[]; readonly nodes: readonly string[] } = { pools: [], nodes: [] };

  const collect = (): void => {
    const names = pools.list().map(({ metadata }) => metadata.name ?? "");
    for (const { gauge, count } of gauges) {
      for (const pool of shown.pools.filter((name) => !names.includes(name))) gauge.remove({ pool });
      for (const { metadata, status } of pools.list())
        gauge.labels({ pool: metadata.name ?? "" }).set(count(status ?? {}) ?? 0);
    }
    for (const { labels } of shownStates) state.remove({ ...labels });
    shownStates = pools.list().flatMap((pool) => stateOf(pool) ?? []);
    for (const { labels, since } of shownStates) state.labels({ ...labels }).set(since);
    members.use(pools.list());
    const masters = nodes
      .list()
      .filter((node) => members.assign(node).isMasterInCustomPool)
      .map(({ metadata }) => metadata.name ?? "");
    for (const node of shown.nodes.filter((name) => !masters.includes(name))) alert.remove({ node });
    for (const node of masters) alert.labels({ node }).set(1);
    shown = { pools: names, nodes: masters };
  };

  return {
    name: "metrics of rollouts",
    async run(signal) {
      const forget = metrics.onCollect(collect);
      await whenAborted(signal);
      forget();
    },
  };
}
