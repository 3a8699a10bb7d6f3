import { describe, expect, test } from "vitest";
import type { Client } from "../../src/cluster/kube/client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { systemClock } from "../../src/cluster/runtime/clock.ts";
import { machineConfigKind, machineConfigPoolKind } from "../../src/domain/machine-config/api.ts";
import { machineConfigCrds } from "../../src/domain/machine-config/crds.ts";
import { annotations, ownAnnotations } from "../../src/domain/rollout/node-annotations.ts";
import { findCondition } from "../../src/language/object/condition.ts";
import { testCluster } from "../../src/program/cli/testing/test-cluster.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { serverVariants } from "../servers/server-under-test.ts";
import { createHeldPod, podOn, report, withFile, worker } from "./objects.ts";

const namespace = "apps";

describe.each(serverVariants())("on the $name server", { timeout: 120_000 }, ({ start }) => {
  test("a drain names the pods that budgets hold, and ends when these go (machine-config W-16)", async () => {
    const { client, runOperator } = await testCluster(machineConfigCrds, start);
    await client.create(kinds.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    await client.create(kinds.node, worker("n"));
    const { uid = "" } = (await client.create(kinds.daemonSet, daemonSet("d"))).metadata;
    for (const [name, more] of [
      ["free", {}],
      ["agent", { ownerReferences: [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "d", uid, controller: true }] }],
      ["static", { annotations: { "kubernetes.io/config.mirror": "x" } }],
    ] as const)
      await client.create(kinds.pod, podOn("n", { name, namespace, ...more }));
    await createHeldPod(client, namespace, "n");
    await client.create(machineConfigKind, withFile("50-motd", "/etc/motd"));
    runOperator();
    const desired = await desiredOf(client);
    await report(client, "n", { [annotations.state]: "Working", [annotations.desiredDrain]: `drain-${desired}` });

    const blocked = await eventually("the pool names the budget", async () => {
      const { status } = await client.get(machineConfigPoolKind, "worker");
      const condition = findCondition(status?.conditions, "RolloutBlocked");
      return condition?.status === "True" && condition;
    });
    expect(blocked).toMatchObject({
      reason: "DrainBlocked",
      message: expect.stringContaining("pod apps/held: PodDisruptionBudget apps/db"),
    });
    const node = await client.get(kinds.node, "n");
    expect([node.spec?.unschedulable, node.metadata.annotations?.[ownAnnotations.cordonedFor]]).toEqual([
      true,
      desired,
    ]);
    expect((await client.list(kinds.pod, { namespace })).items.map(({ metadata }) => metadata.name)).toEqual([
      "agent",
      "held",
      "static",
    ]);

    await client.delete(kinds.podDisruptionBudget, "db", { namespace });
    await eventually(
      "drained",
      async () => (await annotationsOf(client))[annotations.lastAppliedDrain] === `drain-${desired}`,
    );
    await report(client, "n", { [annotations.desiredDrain]: `uncordon-${desired}` });
    await eventually(
      "uncordoned",
      async () => (await annotationsOf(client))[annotations.lastAppliedDrain] === `uncordon-${desired}`,
    );
    expect((await client.get(kinds.node, "n")).spec?.unschedulable).toBeUndefined();
  });

  test("a drain that is blocked is an event of its node at once, and a pod that does not end is named with what keeps it", async () => {
    const { client, runOperator } = await testCluster(machineConfigCrds, start);
    await client.create(kinds.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    await client.create(kinds.node, worker("n"));
    await client.create(kinds.pod, podOn("n", { name: "stuck", namespace, finalizers: ["example.com/wait"] }));
    await client.delete(kinds.pod, "stuck", { namespace });
    const { deletionTimestamp = "" } = (await client.get(kinds.pod, "stuck", { namespace })).metadata;
    await client.create(machineConfigKind, withFile("50-motd", "/etc/motd"));
    // The pod should have ended a minute ago.
    runOperator({ ...systemClock, now: () => systemClock.now() + 60_000 });
    const desired = await desiredOf(client);
    await report(client, "n", { [annotations.state]: "Working", [annotations.desiredDrain]: `drain-${desired}` });
    const text = `pod apps/stuck: should have ended at ${deletionTimestamp}: finalizers keep it: example.com/wait`;
    await eventually("the pool names the pod", async () => {
      const { status } = await client.get(machineConfigPoolKind, "worker");
      return findCondition(status?.conditions, "RolloutBlocked")?.message?.includes(text);
    });
    const event = await eventually("an event of the node", async () => {
      const { items } = await client.list(kinds.event);
      return items.find(({ reason }) => reason === "DrainBlocked");
    });
    expect(event).toMatchObject({ type: "Warning", message: text, involvedObject: { kind: "Node", name: "n" } });
  });

  test("a node that another client cordoned stays cordoned (machine-config W-14)", async () => {
    const { client, runOperator } = await testCluster(machineConfigCrds, start);
    await client.create(kinds.node, worker("n"));
    await client.create(machineConfigKind, withFile("50-motd", "/etc/motd"));
    runOperator();
    const desired = await desiredOf(client);
    await client.patch(kinds.node, "n", { type: "merge", patch: { spec: { unschedulable: true } } });
    await report(client, "n", { [annotations.state]: "Working", [annotations.desiredDrain]: `drain-${desired}` });
    await eventually(
      "drained",
      async () => (await annotationsOf(client))[annotations.lastAppliedDrain] === `drain-${desired}`,
    );
    const done = { [annotations.currentConfig]: desired, [annotations.state]: "Done" };
    await report(client, "n", { ...done, [annotations.desiredDrain]: `uncordon-${desired}` });
    await eventually(
      "answered",
      async () => (await annotationsOf(client))[annotations.lastAppliedDrain] === `uncordon-${desired}`,
    );
    expect((await client.get(kinds.node, "n")).spec?.unschedulable).toBe(true);
    await eventually("updated", async () => {
      const { status } = await client.get(machineConfigPoolKind, "worker");
      return findCondition(status?.conditions, "Updated")?.status === "True";
    });
  });
});

async function annotationsOf(client: Client): Promise<Record<string, string>> {
  return (await client.get(kinds.node, "n")).metadata.annotations ?? {};
}

async function desiredOf(client: Client): Promise<string> {
  return eventually("told", async () => (await annotationsOf(client))[annotations.desiredConfig]);
}

function daemonSet(name: string): never {
  const labels = { name };
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
  const spec = { selector: { matchLabels: labels }, template };
  return { apiVersion: "apps/v1", kind: "DaemonSet", metadata: { name, namespace }, spec } as never;
}
