import { expect, it } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { apiVersion, hostedClusterKind, nodePoolKind } from "../../src/domain/node-pool/api.ts";
import { runManagement } from "../../src/program/management/management.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { HostedOperator } from "./hosted-operator.ts";
import { OrderTargets } from "./order-targets.ts";
import { ProfileWorld } from "./profile-world.ts";
import { reportAlways } from "./reporting-node.ts";
import { controlPlane, poolNamespace, twoClusters } from "./two-clusters.ts";

const users = { namespace: poolNamespace };
const profile = (name: string, reserved: string): string =>
  JSON.stringify({
    apiVersion: "performance.openshift.io/v2",
    kind: "PerformanceProfile",
    metadata: { name },
    spec: { cpu: { isolated: "2-3", reserved }, nodeSelector: { "node-role.kubernetes.io/worker-cnf": "" } },
  });

const isLong = process.env["ATTUNE_LONG"] !== undefined;
if (!isLong) console.log("not run: swapped profiles under documented names (only with ATTUNE_LONG)");

// Under shipped names the ConfigMaps of the two profiles have different names.
it.each(isLong ? (["documented", "shipped"] as const) : (["shipped"] as const))(
  "a NodePool that refers to another profile gets one rollout with both directions, %s",
  async (protocol) => {
    const clusters = await twoClusters();
    const { client } = clusters.management;
    const world = new ProfileWorld(clusters, protocol);
    await world.prepare();
    await world.createNode("np1-a");
    const end = new AbortController();
    const { signal } = end;
    const operator = new HostedOperator(clusters, protocol);
    operator.start();
    const orders = new OrderTargets(client, controlPlane);
    const running = [
      runManagement({ client, signal, image: "attune:test", protocol, leaderElection: false }),
      reportAlways(world, "np1-a", signal),
      orders.run(signal),
    ];
    await client.create(
      hostedClusterKind,
      { apiVersion, kind: "HostedCluster", metadata: { name: "demo" }, spec: {} },
      users,
    );
    for (const [name, manifest] of [
      ["p1", profile("first", "0")],
      ["p2", profile("second", "0-1")],
    ])
      await client.create(
        kinds.configMap,
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { tuning: manifest ?? "" } },
        users,
      );
    const refer = (...names: string[]): object => ({ tuningConfig: names.map((name) => ({ name })) });
    const spec = { clusterName: "demo", release: { image: "release:4.22.0" } };
    await client.create(nodePoolKind, { apiVersion, kind: "NodePool", metadata: { name: "np1" }, spec }, users);
    await eventually("the first order", () => Promise.resolve(orders.all.length > 0));
    const counts: number[] = [];
    const steps = [
      { references: ["p1"], has: "performance-first", hasNot: "performance-second" },
      { references: ["p2"], has: "performance-second", hasNot: "performance-first" },
      { references: ["p1"], has: "performance-first", hasNot: "performance-second" },
      { references: [], has: "", hasNot: "performance-" },
    ];
    for (const { references, has, hasNot } of steps) {
      const before = orders.all.length;
      await client.patch(nodePoolKind, "np1", { type: "merge", patch: { spec: refer(...references) } }, users);
      await eventually(`the order with ${references.join()}`, () =>
        Promise.resolve(orders.payload.includes(has) && !orders.payload.includes(hasNot)),
      );
      await world.processed();
      counts.push(orders.all.length - before);
    }
    end.abort();
    await Promise.all([...running, operator.stop()]);
    await clusters.close();
    expect(counts).toEqual([1, 1, 1, 1]);
  },
);
