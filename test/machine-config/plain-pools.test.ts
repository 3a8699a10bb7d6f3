import { describe, expect, test } from "vitest";
import type { Client } from "../../src/cluster/kube/client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import {
  apiVersion,
  type MachineConfig,
  machineConfigKind,
  type MachineConfigPool,
  machineConfigPoolKind,
  roleLabel,
} from "../../src/domain/machine-config/api.ts";
import { machineConfigCrds } from "../../src/domain/machine-config/crds.ts";
import { annotations } from "../../src/domain/rollout/node-annotations.ts";
import { type Condition, findCondition } from "../../src/language/object/condition.ts";
import { testCluster } from "../../src/program/cli/testing/test-cluster.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { emptyServers } from "../servers/server-under-test.ts";
import { withFile } from "./objects.ts";

/** As kubeadm labels nodes: those of the control plane by their role, others not at all. */
function node(name: string, ...roles: string[]): never {
  const labels = Object.fromEntries(roles.map((role) => [`node-role.kubernetes.io/${role}`, ""]));
  return { apiVersion: "v1", kind: "Node", metadata: { name, labels } } as never;
}

function configOf(role: string): MachineConfig {
  const { metadata, ...rest } = withFile(`50-${role}`, `/etc/${role}`);
  return { ...rest, metadata: { ...metadata, labels: { [roleLabel]: role } } };
}

async function condition(client: Client, pool: string, type: string): Promise<Condition | undefined> {
  const { status } = await client.get(machineConfigPoolKind, pool);
  return findCondition(status?.conditions, type);
}

async function told(client: Client, name: string): Promise<string> {
  return eventually(`${name} is told`, async () => {
    const { metadata } = await client.get(kinds.node, name);
    return metadata.annotations?.[annotations.desiredConfig];
  });
}

describe.each(emptyServers())("on the $name server", { timeout: 120_000 }, ({ start }) => {
  test("pool master has the nodes that kubeadm labels, and configs of either name of the role", async () => {
    const { client, runOperator } = await testCluster(machineConfigCrds, start);
    await client.create(kinds.node, node("lone", "control-plane", "worker"));
    for (const role of ["master", "control-plane", "worker"]) await client.create(machineConfigKind, configOf(role));
    runOperator();
    expect(await told(client, "lone")).toMatch(/^rendered-master-/);
    const { spec } = await client.get(machineConfigPoolKind, "master");
    expect(spec?.configuration?.source?.map(({ name }) => name)).toEqual(["50-control-plane", "50-master"]);

    const { message } = await eventually("the pool without nodes says why", async () => {
      const updated = await condition(client, "worker", "Updated");
      return updated?.message?.includes("lone") && updated;
    });
    expect(message).toBe(
      "No node is in this pool, which selects node-role.kubernetes.io/worker=: node lone is in pool master",
    );
  });

  test("an existing pool keeps the labels by which it selects nodes and configs", async () => {
    const { client, runOperator } = await testCluster(machineConfigCrds, start);
    const spec: MachineConfigPool["spec"] = {
      machineConfigSelector: { matchLabels: { [roleLabel]: "master" } },
      nodeSelector: { matchLabels: { "node-role.kubernetes.io/master": "" } },
    };
    await client.create(machineConfigPoolKind, {
      apiVersion,
      kind: "MachineConfigPool",
      metadata: { name: "master" },
      spec,
    });
    await client.create(kinds.node, node("m", "master"));
    await client.create(machineConfigKind, configOf("master"));
    runOperator();
    expect(await told(client, "m")).toMatch(/^rendered-master-/);
    expect((await client.get(machineConfigPoolKind, "master")).spec).toMatchObject(spec);
  });

  test("nodes in no pool are named, with the command that brings them into one, until it was given", async () => {
    const { client, runOperator } = await testCluster(machineConfigCrds, start);
    for (const name of ["a", "b"]) await client.create(kinds.node, node(name));
    await client.create(kinds.node, node("m", "control-plane"));
    await client.create(kinds.node, {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "w", labels: { "kubernetes.io/os": "windows" } },
    });
    await client.create(machineConfigKind, configOf("worker"));
    runOperator();
    const without = await eventually("named", async () => {
      const found = await condition(client, "worker", "NodesWithoutPool");
      return found?.status === "True" && found;
    });
    expect(without).toMatchObject({
      reason: "NoRoleLabel",
      message:
        "2 nodes are in no pool and get no MachineConfig: a, b. To add one to pool worker: kubectl label node a node-role.kubernetes.io/worker=",
    });
    const empty = "No node is in this pool, which selects node-role.kubernetes.io/worker=";
    await eventually(
      "the pool has none",
      async () => (await condition(client, "worker", "Updated"))?.message === empty,
    );
    for (const name of ["a", "b"]) {
      const patch = { metadata: { labels: { "node-role.kubernetes.io/worker": "" } } };
      await client.patch(kinds.node, name, { type: "merge", patch });
    }
    await told(client, "a");
    await eventually(
      "no longer",
      async () => (await condition(client, "worker", "NodesWithoutPool"))?.status === "False",
    );
  });
});
