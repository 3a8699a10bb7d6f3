import { describe, expect, test } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import {
  apiVersion,
  type PerformanceProfile,
  performanceProfileKind,
} from "../../src/domain/performance-profile/api.ts";
import { updateOf } from "../../src/domain/rollout/node-annotations.ts";
import { smallMachine } from "../../src/embedded/lab/machine-base.ts";
import { isTrue } from "../../src/language/object/condition.ts";
import { bootsOf, mostUnavailable } from "./observed.ts";
import { RolloutCluster } from "./rollout-cluster.ts";

const isLong = process.env["ATTUNE_LONG"] !== undefined;
if (!isLong)
  console.log("not run without ATTUNE_LONG: PerformanceProfiles that change in the middle of their rollouts");

const topology = { ...smallMachine, cpus: 8, sockets: 2 };

/** For the pool of the same name. */
function profile(name: string, reserved: string, isolated: string): PerformanceProfile {
  return {
    apiVersion,
    kind: "PerformanceProfile",
    metadata: { name },
    spec: {
      cpu: { reserved, isolated },
      nodeSelector: { [`node-role.kubernetes.io/${name}`]: "" },
      machineConfigPoolSelector: { [`pools.operator.machineconfiguration.openshift.io/${name}`]: "" },
    },
  };
}

const commandLine = async (cluster: RolloutCluster, node: string): Promise<string> =>
  (await cluster.text(node, "/proc/cmdline")) ?? "";

describe.skipIf(!isLong)("PerformanceProfiles that change while they are rolled out", { timeout: 900_000 }, () => {
  test.each([6])("deleted after %d changes of nodes: all nodes are given back, within the budget", async (moment) => {
    const names = ["a", "b", "c"];
    const cluster = await RolloutCluster.start({ nodes: { fast: names }, topology });
    await cluster.createPool("fast", { maxUnavailable: 1 });
    cluster.startOperator();
    await cluster.until("agents", async () => (await cluster.agents()) === names.length);
    const before = await commandLine(cluster, "a");
    await cluster.admin.create(performanceProfileKind, profile("fast", "0-1", "2-7"));
    await cluster.until("a node is told", async () => {
      const { items } = await cluster.admin.list(kinds.node);
      return items.some(({ metadata }) => updateOf(metadata).desired !== updateOf(metadata).current);
    });
    const boots = bootsOf(cluster);
    const most = mostUnavailable(cluster, names);
    await cluster.events(moment);
    await cluster.admin.delete(performanceProfileKind, "fast");
    await cluster.until("the profile is gone", async () => {
      const { items } = await cluster.admin.list(performanceProfileKind);
      return items.length === 0;
    });
    await cluster.until("all nodes are given back", async () => {
      const { spec, status } = await cluster.pool("fast");
      const lines = await Promise.all(names.map((name) => commandLine(cluster, name)));
      const { items } = await cluster.admin.list(kinds.node);
      return (
        lines.every((line) => line === before) &&
        isTrue(status?.conditions, "Updated") &&
        status?.configuration?.name === spec?.configuration?.name &&
        items.every(({ spec: node, status: of }) => !node?.unschedulable && of?.allocatable?.["cpu"] === "8")
      );
    });
    expect(boots).toEqual([...new Set(boots)]);
    expect(most()).toBeLessThanOrEqual(1);
  });

  test("two of them edited in a loop end as the last edits say, and no node restarts twice for a config", async () => {
    const pools = ["fast", "quick"];
    const names = pools.flatMap((pool) => [`${pool}-0`, `${pool}-1`]);
    const nodes = Object.fromEntries(pools.map((pool) => [pool, [`${pool}-0`, `${pool}-1`]]));
    const cluster = await RolloutCluster.start({ nodes, topology });
    for (const pool of pools) await cluster.createPool(pool, { maxUnavailable: 1 });
    cluster.startOperator();
    await cluster.until("agents", async () => (await cluster.agents()) === names.length);
    for (const pool of pools) await cluster.admin.create(performanceProfileKind, profile(pool, "0", "1-7"));
    const boots = bootsOf(cluster);
    const most = pools.map((pool) => mostUnavailable(cluster, nodes[pool] ?? []));
    const edits = 12;
    for (let edit = 1; edit <= edits; edit++) {
      for (const pool of pools) {
        // Never the same twice: each edit is another config.
        const patch = { spec: { additionalKernelArgs: [`edit=${edit}`] } };
        await cluster.admin.patch(performanceProfileKind, pool, { type: "merge", patch });
      }
      await cluster.events(edit);
    }
    await cluster.until("all nodes have the last edit", async () => {
      const lines = await Promise.all(names.map((name) => commandLine(cluster, name)));
      const found = await Promise.all(pools.map((pool) => cluster.pool(pool)));
      const { items } = await cluster.admin.list(performanceProfileKind);
      return (
        lines.every((line) => line.includes(` edit=${edits}`)) &&
        found.every(({ status }) => isTrue(status?.conditions, "Updated")) &&
        items.every(({ status }) => isTrue(status?.conditions, "Available"))
      );
    });
    expect(boots).toEqual([...new Set(boots)]);
    expect(most.map((count) => count())).toEqual([1, 1]);
  });
});
