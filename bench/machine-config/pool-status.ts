import { apiVersion, type MachineConfigPool } from "../../src/domain/machine-config/api.ts";
import { decidePool } from "../../src/domain/rollout/decide-pool.ts";
import { Members } from "../../src/domain/rollout/members.ts";
import { annotations } from "../../src/domain/rollout/node-annotations.ts";
import { projectRolloutNode, type RolloutNode } from "../../src/domain/rollout/rollout-node.ts";
import { WrongError } from "../harness/load.ts";
import { median, type Section, shown } from "../harness/report.ts";

/** All nodes are in the first: the largest pool that there can be. */
const names = ["worker", "a", "b", "c"];
const count = 5000;
const mostMs = 10;
const [old, target] = ["rendered-old", "rendered-new"];

/** What the operator does after an event of one node: judge it, decide the pass of its pool, and compute the status. */
export const poolStatus: Section = {
  name: "pool-status",
  async measure({ quick, report }) {
    const pools = names.map(pool);
    const nodes = Array.from({ length: count }, (_, index) => node("worker", index));
    const members = new Members();
    const runs: number[] = [];
    for (let round = 0; round < (quick ? 100 : 1000); round++) {
      const at = round % nodes.length;
      nodes[at] = projectRolloutNode(updated(nodes[at]!));
      const start = process.cpuUsage();
      members.use(pools);
      const { status } = decidePool({
        pool: pools[0]!,
        nodes: members.of("worker", nodes),
        now: "2026-01-01T00:00:00Z",
      });
      const { user, system } = process.cpuUsage(start);
      runs.push((user + system) / 1000);
      const expected = Math.min(round + 1, count);
      if (status?.updatedMachineCount !== expected || status.machineCount !== count)
        throw new WrongError(
          `${status?.updatedMachineCount} of ${status?.machineCount} nodes updated, not ${expected}`,
        );
    }
    const rest = runs.slice(1);
    report.table(
      `one event of one of the ${nodes.length} nodes of a pool, CPU time`,
      ["", "first", "median", "slowest"],
      [
        [
          "decide the pool and its status",
          shown(runs[0], "ms"),
          shown(median(rest), "ms"),
          shown(Math.max(...rest), "ms"),
        ],
      ],
    );
    report.bar({
      what: `${nodes.length} nodes: a pool's status after an event ≤ ${mostMs} ms`,
      measured: shown(median(rest), "ms"),
      met: median(rest) <= mostMs,
    });
  },
};

function pool(name: string): MachineConfigPool {
  return {
    apiVersion,
    kind: "MachineConfigPool",
    metadata: { name, generation: 1 },
    spec: {
      maxUnavailable: "10%",
      nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: "" } },
      configuration: { name: target },
    },
  };
}

function node(pool: string, index: number): RolloutNode {
  const labels = {
    "kubernetes.io/os": "linux",
    "kubernetes.io/hostname": `${pool}-${index}`,
    "topology.kubernetes.io/zone": `z${index % 3}`,
    [`node-role.kubernetes.io/${pool}`]: "",
  };
  return projectRolloutNode({
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name: `${pool}-${index}`,
      uid: `${pool}-${index}`,
      creationTimestamp: created(index),
      labels,
      annotations: state(old),
    },
    // A pass before this one tainted the nodes that wait.
    spec: { taints: [{ key: "UpdateInProgress", effect: "PreferNoSchedule" }] },
    status: {
      conditions: ["Ready", "MemoryPressure"].map((type) => ({ type, status: type === "Ready" ? "True" : "False" })),
    },
  });
}

function created(index: number): string {
  return new Date(Date.parse("2025-01-01T00:00:00Z") + index * 1000).toISOString().replace(".000Z", "Z");
}

function updated(before: RolloutNode): RolloutNode {
  return { ...before, metadata: { ...before.metadata, annotations: state(target) }, spec: {} };
}

function state(config: string): Record<string, string> {
  return { [annotations.currentConfig]: config, [annotations.desiredConfig]: config, [annotations.state]: "Done" };
}
