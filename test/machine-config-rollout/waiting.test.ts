import { expect, test } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { machineConfigKind, machineConfigPoolKind } from "../../src/domain/machine-config/api.ts";
import { emptyServers } from "../servers/server-under-test.ts";
import { file, RolloutCluster, withFiles } from "./rollout-cluster.ts";

const app = { app: "shop" };
const budget = {
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: "keep-shop", namespace: "default" },
  spec: { minAvailable: 1, selector: { matchLabels: app } },
};

/** machine-config W-16: pods in the way and their budgets were in logs only. */
test.each(emptyServers())(
  "a drain that a PodDisruptionBudget blocks names pod and budget, and goes on once the budget allows it, on the $name server",
  async ({ start }) => {
    const cluster = await RolloutCluster.start({ nodes: { worker: ["a"] }, start });
    cluster.startOperator();
    await cluster.until("the agent runs", async () => (await cluster.agents()) === 1);
    await cluster.admin.create(kinds.pod, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "shop", namespace: "default", labels: app },
      spec: { nodeName: "a", containers: [{ name: "main", image: "example.com/shop:1" }] },
    });
    await cluster.until("the pod runs", async () => {
      const { status } = await cluster.admin.get(kinds.pod, "shop", { namespace: "default" });
      return status?.phase === "Running";
    });
    await cluster.admin.create(kinds.podDisruptionBudget, budget);
    await cluster.apply("50-own", "worker", withFiles(file("/etc/own.conf", "x")));
    await cluster.until("pod and budget are named", async () => {
      const { status } = await cluster.pool("worker");
      const messages = (status?.conditions ?? []).map(({ message }) => message).join(" ");
      return messages.includes("shop") && messages.includes("keep-shop");
    });
    expect(cluster.reboots()).toEqual({ a: 0 });
    await cluster.admin.delete(kinds.podDisruptionBudget, "keep-shop", { namespace: "default" });
    await cluster.updated("worker", ["50-own"]);
    expect(cluster.reboots()).toEqual({ a: 1 });
  },
);

test("a change that is taken back while a drain is blocked gives the node back at once, without a restart (machine-config W-15)", async () => {
  const cluster = await RolloutCluster.start({ nodes: { worker: ["a", "b"] } });
  cluster.startOperator();
  await cluster.until("the agents run", async () => (await cluster.agents()) === 2);
  await cluster.apply("50-own", "worker", withFiles(file("/etc/own.conf", "x")));
  await cluster.updated("worker", ["50-own"]);
  for (const node of ["a", "b"])
    await cluster.admin.create(kinds.pod, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: node, namespace: "default", labels: app },
      spec: { nodeName: node, containers: [{ name: "main", image: "example.com/shop:1" }] },
    });
  await cluster.admin.create(kinds.podDisruptionBudget, { ...budget, spec: { ...budget.spec, minAvailable: 2 } });
  const { spec } = await cluster.pool("worker");
  await cluster.apply("60-bad", "worker", { kernelArguments: ["init=/bin/false"] });
  await cluster.until("a drain is blocked", async () => {
    const { status } = await cluster.pool("worker");
    return status?.conditions?.some(({ reason }) => reason === "DrainBlocked");
  });
  await cluster.admin.delete(machineConfigKind, "60-bad");
  expect((await cluster.updated("worker", ["50-own"])).spec?.configuration).toEqual(spec?.configuration);
  await cluster.until("no node is cordoned", async () => {
    const { items } = await cluster.admin.list(kinds.node);
    return items.every((node) => !node.spec?.unschedulable);
  });
  expect(cluster.reboots()).toEqual({ a: 1, b: 1 });
});

test("a paused pool gets its rendered config and tells no node, until it is resumed", async () => {
  const cluster = await RolloutCluster.start({ nodes: { worker: ["a"] } });
  await cluster.createPool("worker", { paused: true });
  cluster.startOperator();
  await cluster.apply("50-own", "worker", withFiles(file("/etc/own.conf", "x")));
  await cluster.until("the pool says so", async () => {
    const { spec, status } = await cluster.pool("worker");
    const messages = (status?.conditions ?? []).map(({ message }) => message).join(" ");
    return spec?.configuration?.name !== undefined && messages.includes(`paused; will not update`);
  });
  expect(cluster.reboots()).toEqual({ a: 0 });
  expect(await cluster.text("a", "/etc/own.conf")).toBeUndefined();
  const patch = { spec: { paused: false } };
  await cluster.admin.patch(machineConfigPoolKind, "worker", { type: "merge", patch });
  await cluster.updated("worker", ["50-own"]);
  expect(cluster.reboots()).toEqual({ a: 1 });
});
