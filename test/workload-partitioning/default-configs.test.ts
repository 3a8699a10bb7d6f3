import { describe, expect, it } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import {
  apiVersion,
  machineConfigKind,
  machineConfigPoolKind,
  roleLabel,
} from "../../src/domain/machine-config/api.ts";
import { machineConfigCrds } from "../../src/domain/machine-config/crds.ts";
import { bootstrapMachineConfig } from "../../src/domain/workload-partitioning/bootstrap-machine-config.ts";
import { workloadPartitioningCrds } from "../../src/domain/workload-partitioning/crds.ts";
import { infrastructureKind } from "../../src/domain/workload-partitioning/identifier.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { testCluster, type TestCluster } from "../../src/program/cli/testing/test-cluster.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { operatorUntil } from "../performance-profile/stopped-operator.ts";

const defaults = (...roles: string[]): string[] => roles.map((role) => `01-${role}-cpu-partitioning`).toSorted();
const cores = { "management.workload.openshift.io/cores": "8k" };

async function cluster(): Promise<TestCluster> {
  return testCluster([...machineConfigCrds, ...workloadPartitioningCrds]);
}

async function infrastructure({ client }: TestCluster, status?: object): Promise<void> {
  const { apiVersion, kind } = infrastructureKind;
  const found = await client.list(infrastructureKind);
  if (found.items.length === 0)
    await client.create<KubeObject>(infrastructureKind, { apiVersion, kind, metadata: { name: "cluster" }, spec: {} });
  const subresource = "status";
  if (status) await client.patch(infrastructureKind, "cluster", { type: "merge", patch: { status } }, { subresource });
}

async function node({ client }: TestCluster, name: string, capacity: Record<string, string>): Promise<void> {
  await client.create(kinds.node, { apiVersion: "v1", kind: "Node", metadata: { name } });
  const patch = { status: { capacity: { cpu: "8", ...capacity } } };
  await client.patch(kinds.node, name, { type: "merge", patch }, { subresource: "status" });
}

const names = async ({ client }: TestCluster): Promise<string[]> =>
  (await client.list(machineConfigKind)).items.flatMap(({ metadata: { name = "" } }) =>
    name.endsWith("-cpu-partitioning") ? [name] : [],
  );
const has = async (given: TestCluster, ...roles: string[]): Promise<void> =>
  void (await eventually(
    `defaults of ${roles.join()}`,
    async () => JSON.stringify((await names(given)).toSorted()) === JSON.stringify(defaults(...roles)),
  ));
const mode = async ({ client }: TestCluster): Promise<unknown> =>
  ((await client.get(infrastructureKind, "cluster"))["status"] as Record<string, unknown> | undefined)?.[
    "cpuPartitioning"
  ];

describe("default MachineConfigs of a partitioned cluster", { timeout: 120_000 }, () => {
  it("are made as soon as the Infrastructure says so, for every role, and come back", async () => {
    const given = await cluster();
    const { client } = given;
    given.runOperator();
    // The pools are the last thing that the operator makes in a cluster without Infrastructure.
    await eventually("pools", async () => (await client.list(machineConfigPoolKind)).items.length === 2);
    await infrastructure(given);
    expect(await names(given)).toEqual([]);
    await infrastructure(given, { cpuPartitioning: "AllNodes", controlPlaneTopology: "HighlyAvailableArbiter" });
    await has(given, "master", "worker", "arbiter");
    await client.create(machineConfigPoolKind, { apiVersion, kind: "MachineConfigPool", metadata: { name: "cnf" } });
    await has(given, "master", "worker", "arbiter", "cnf");

    const name = "01-worker-cpu-partitioning";
    const { uid } = (await client.get(machineConfigKind, name)).metadata;
    await client.delete(machineConfigKind, name);
    const again = await eventually("it is back", async () => {
      const found = await client.get(machineConfigKind, name);
      return found.metadata.uid !== uid && found;
    });
    expect(again.spec).toEqual(bootstrapMachineConfig("worker").spec);
    expect(again.metadata.ownerReferences).toBeUndefined();
  });

  it("are repaired: files, role and owners that would have them deleted", async () => {
    const given = await cluster();
    const { client } = given;
    await infrastructure(given, { cpuPartitioning: "AllNodes" });
    given.runOperator();
    await has(given, "master", "worker");
    const name = "01-master-cpu-partitioning";
    const owner = { apiVersion: "v1", kind: "ConfigMap", name: "gone", uid: "1234" };
    for (const patch of [
      { spec: { config: { storage: null } } },
      { spec: { kernelArguments: ["nosmt"] } },
      { metadata: { labels: { [roleLabel]: "worker" } } },
      { metadata: { ownerReferences: [owner] } },
    ]) {
      await client.patch(machineConfigKind, name, { type: "merge", patch });
      await eventually(`repaired ${JSON.stringify(patch)}`, async () => {
        const { metadata, spec } = await client.get(machineConfigKind, name);
        const { labels, ownerReferences = [] } = metadata;
        const wanted = bootstrapMachineConfig("master");
        return (
          JSON.stringify([labels, spec, ownerReferences]) === JSON.stringify([wanted.metadata.labels, wanted.spec, []])
        );
      });
    }
  });

  it("are not made for a cluster that is not partitioned, nor taken from one that no longer says it", async () => {
    const given = await cluster();
    const { client } = given;
    await infrastructure(given, { cpuPartitioning: "None" });
    await client.create(machineConfigKind, bootstrapMachineConfig("worker"));
    const operator = operatorUntil(client, Infinity);
    await eventually("pools", async () => (await client.list(machineConfigPoolKind)).items.length === 2);
    await operator.stop();
    expect(await names(given)).toEqual(defaults("worker"));
  });

  it("of the first release of OpenShift that had them stay as they are: another file would restart every node", async () => {
    const given = await cluster();
    const { client } = given;
    const { metadata } = await client.create(machineConfigKind, bootstrapMachineConfig("master", "4.13"));
    await infrastructure(given, { cpuPartitioning: "AllNodes" });
    given.runOperator();
    await has(given, "master", "worker");
    const found = await client.get(machineConfigKind, "01-master-cpu-partitioning");
    expect(found.metadata.resourceVersion).toBe(metadata.resourceVersion);
  });

  it("are there once however many operators make them", async () => {
    const given = await cluster();
    const { client } = given;
    await infrastructure(given, { cpuPartitioning: "None", controlPlaneTopology: "SingleReplica" });
    await node(given, "a", cores);
    const stop = [1, 2, 3].map(() => operatorUntil(client, Infinity));
    await has(given, "master", "worker");
    await Promise.all(stop.map((one) => one.stop()));
    expect(await mode(given)).toBe("AllNodes");
    const { items } = await client.list(machineConfigKind);
    const made = items.filter(({ metadata }) => metadata.name?.endsWith("-cpu-partitioning"));
    expect(made.map(({ metadata }) => metadata.generation)).toEqual([1, 1]);
  });
});

describe("a single node that was partitioned before its Infrastructure could say it", { timeout: 240_000 }, () => {
  it("ends the same however often the operator is killed on the way", async () => {
    const counts = (kind: string): boolean => ["Infrastructure", "MachineConfig"].includes(kind);
    // The mode, and a MachineConfig of each role.
    for (const at of [1, 2, 3]) {
      const given = await cluster();
      await infrastructure(given, { cpuPartitioning: "None", controlPlaneTopology: "SingleReplica" });
      await node(given, "a", cores);
      const killed = operatorUntil(given.client, at, { counts });
      await killed.stopped;
      given.runOperator();
      await has(given, "master", "worker");
      expect(await mode(given)).toBe("AllNodes");
    }
  });
});
