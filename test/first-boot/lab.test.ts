import { expect, test } from "vitest";
import { createInformer } from "../../src/cluster/kube/informer/informer.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { noLog } from "../../src/cluster/runtime/log/log.ts";
import { annotations, updateOf } from "../../src/domain/rollout/node-annotations.ts";
import { startupTaint } from "../../src/domain/rollout/startup/startup-taint.ts";
import { VirtualNode } from "../../src/embedded/lab/kubelet/node/virtual-node.ts";
import { machineBase, smallMachine } from "../../src/embedded/lab/machine-base.ts";
import { runLab } from "../../src/embedded/lab/run-lab.ts";
import { fetchPayload } from "../../src/node/on-node/first-boot/fetch-payload.ts";
import { programs } from "../../src/program/cli/lab/container-programs.ts";
import { firstBoots, install } from "../../src/program/cli/lab/first-boots.ts";
import { file, withFiles } from "../machine-config-rollout/rollout-cluster.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { FirstBootCluster } from "./first-boot-cluster.ts";

const base = machineBase(smallMachine);
type Prepare = (node: VirtualNode, usual: (node: VirtualNode) => Promise<void>) => Promise<void>;

/** Virtual nodes without labels, as kubeadm makes them, until `stop`. */
function lab(cluster: FirstBootCluster, names: readonly string[], prepare: Prepare = (node, usual) => usual(node)) {
  const { admin } = cluster;
  const nodes = names.map((name) => new VirtualNode({ name, topology: smallMachine, base }));
  const end = new AbortController();
  const warnings: unknown[] = [];
  const log = { ...noLog, warn: (fields: unknown) => void warnings.push(fields) };
  const usual = firstBoots({ client: admin, pool: "worker", signal: end.signal, log });
  const registered = new Map<string, number>();
  const done = runLab({
    client: admin,
    clientAs: (who) => admin.as(who),
    cluster: admin.connection.cluster,
    nodes,
    program: programs(admin, noLog),
    runAttune: usual.runAttune,
    prepare: (node) => prepare(node, usual.prepare!),
    workloads: {},
    bootMs: 0,
    signal: end.signal,
    onRegistered: (name) => registered.set(name, nodes.find((node) => node.name === name)?.reboots ?? -1),
  });
  const stop = async (): Promise<void> => {
    end.abort();
    await done;
  };
  return { nodes, registered, warnings, stop };
}

const update = async (cluster: FirstBootCluster, name: string): Promise<ReturnType<typeof updateOf>> =>
  updateOf((await cluster.admin.get(kinds.node, name)).metadata);

test("virtual nodes register with the config of their pool, and are not restarted or drained after that", async () => {
  const cluster = await FirstBootCluster.start();
  await cluster.apply("50-base", { ...withFiles(file("/etc/base.conf", "x")), kernelArguments: ["nohz_full=2-3"] });
  const config = await cluster.rendered("50-base");
  const isHeld = ({ spec }: { spec?: { taints?: { key: string }[] } }): boolean =>
    spec?.taints?.some(({ key }) => key === startupTaint.key) ?? false;
  const held = new Set<string>();
  const watched = createInformer(cluster.admin, kinds.node, {});
  watched.subscribe(({ object }) => {
    if (isHeld(object)) held.add(object.metadata.name ?? "");
  });
  const end = new AbortController();
  const watching = watched.run(end.signal);
  const { nodes, registered, stop } = lab(cluster, ["a", "b"]);
  try {
    for (const { name } of nodes)
      await eventually(`${name} is done`, async () => {
        const { current, desired, state } = await update(cluster, name);
        return current === config && desired === config && state === "Done";
      });
    expect(Object.fromEntries(registered)).toEqual({ a: 1, b: 1 });
    for (const { name, reboots, host } of nodes) {
      expect(reboots).toBe(1);
      expect(await host.read("/proc/cmdline")).toMatchObject({ text: expect.stringContaining("nohz_full=2-3") });
      const { metadata } = await cluster.admin.get(kinds.node, name);
      expect(metadata.annotations).not.toHaveProperty([annotations.desiredDrain]);
    }
    await eventually("no invitation is left", async () => (await cluster.invitation("a")) === undefined);
    // Pods wait until the agent has tuned a node that joins.
    await eventually("no node is held back", async () => !watched.list().some(isHeld));
    expect([...held].toSorted()).toEqual(["a", "b"]);
  } finally {
    end.abort();
    await Promise.all([stop(), watching]);
  }
});

test("a pool that is rendered anew between first boot and join costs exactly one ordinary update", async () => {
  const cluster = await FirstBootCluster.start();
  await cluster.apply("50-base", { ...withFiles(), kernelArguments: ["first=1"] });
  const old = await cluster.rendered("50-base");
  let next = "";
  const given = lab(cluster, ["a"], async (node, usual) => {
    await usual(node);
    // The kubelet is held up after the first boot, until the pool has another config.
    const run = node.runAttune.bind(node);
    node.runAttune = async (args) => {
      const failure = await run(args);
      await cluster.apply("50-base", { ...withFiles(), kernelArguments: ["second=1"] });
      next = await eventually("rendered anew", async () => {
        const name = (await cluster.pool("worker")).spec?.configuration?.name;
        return name !== old && name;
      });
      return failure;
    };
  });
  try {
    await eventually("updated", async () => {
      const { current, state } = await update(cluster, "a");
      return next !== "" && current === next && state === "Done";
    });
    expect(given.registered.get("a")).toBe(1);
    expect(given.nodes[0]?.reboots).toBe(2);
  } finally {
    await given.stop();
  }
});

test("a virtual node with a wrong or a used token registers nothing, and says why", async () => {
  const cluster = await FirstBootCluster.start();
  await cluster.apply("50-base", withFiles(file("/etc/base.conf", "x")));
  await cluster.rendered("50-base");
  const used = await cluster.token("used");
  const { nodes, warnings, registered, stop } = lab(cluster, ["good", "used", "wrong"], async (node, usual) => {
    if (node.name === "good") return usual(node);
    if (node.name === "wrong") return install(node, { ...used, token: "x" });
    // Another machine was faster.
    expect(await fetchPayload(used, "thief", new AbortController().signal)).toMatchObject({ type: "config" });
    await install(node, used);
  });
  try {
    await eventually("two fail", async () => warnings.length === 2 && registered.has("good"));
    expect(warnings).toEqual(
      expect.arrayContaining([
        { node: "used", why: expect.stringContaining("409: the token of node used was used by another client") },
        { node: "wrong", why: expect.stringContaining("401: no valid token for a first boot") },
      ]),
    );
    expect([...registered.keys()]).toEqual(["good"]);
    const { items } = await cluster.admin.list(kinds.node);
    expect(items.map(({ metadata }) => metadata.name)).toEqual(["good"]);
    expect(nodes.filter(({ name }) => name !== "good").map(({ reboots }) => reboots)).toEqual([0, 0]);
  } finally {
    await stop();
  }
});
