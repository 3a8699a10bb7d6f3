import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { loadConnection } from "../../../cluster/kube/connect/load-connection.ts";
import type { KindRef } from "../../../cluster/kube/client.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import {
  apiVersion,
  machineConfigKind,
  type MachineConfigPool,
  machineConfigPoolKind,
} from "../../../domain/machine-config/api.ts";
import { generatedBy } from "../../../domain/machine-config/rendered-annotations.ts";
import { builtInPool } from "../../../domain/rollout/built-in-pools.ts";
import { tunedKind, tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { startServer } from "../../../embedded/apiserver/server.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { systemNamespace } from "../../operator/names.ts";
import { applyManifests } from "../install/apply-manifests.ts";
import { foundation, installManifests } from "../install/manifests.ts";
import { RecordingTerminal } from "../terminal/testing/recording-terminal.ts";
import { exampleTuned } from "../up/worked-example.ts";
import { uninstallFrom } from "./uninstall.ts";

async function installed(mode: "tuning" | "plain" = "tuning"): Promise<HttpClient> {
  const dir = await mkdtemp(join(tmpdir(), "attune-uninstall-"));
  const server = await startServer({ dir, storage: "memory" });
  const client = new HttpClient(await loadConnection({ kubeconfig: server.kubeconfig }));
  onTestFinished(async () => {
    client.close();
    await server.close();
    await rm(dir, { recursive: true, force: true });
  });
  await applyManifests(client, foundation({ mode }));
  return client;
}

async function uninstall(client: HttpClient): Promise<string> {
  const options = { namespace: systemNamespace, dryRun: false, crds: false, timeout: 60_000, output: "text" } as const;
  const terminal = new RecordingTerminal();
  await uninstallFrom(client, options, { terminal, signal: new AbortController().signal });
  return terminal.stdout;
}

it("keeps a Tuned of users that they labelled as part of Attune", async () => {
  const client = await installed();
  const { metadata, ...tuned } = exampleTuned();
  const labels = { "app.kubernetes.io/part-of": "attune" };
  await client.create(tunedKind, { ...tuned, metadata: { ...metadata, labels } });
  const name = `${tuningNamespace}/${metadata.name}`;
  expect(await uninstall(client)).toContain(`Namespace ${tuningNamespace} kept: it contains Tuned ${name}\n`);
  await client.get(tunedKind, metadata.name ?? "", { namespace: tuningNamespace });
});

it("is not kept from its work by a Deployment of the operator's name in a namespace of a user", async () => {
  const client = await installed();
  const isOperator = ({ kind, metadata }: KubeObject): boolean =>
    kind === "Deployment" && metadata.name === "attune-operator";
  await client.create(kinds.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: "theirs" } });
  for (const namespace of [systemNamespace, "theirs"])
    await applyManifests(client, installManifests({ namespace, mode: "tuning" }).filter(isOperator));
  expect(await uninstall(client)).toContain(`Namespace ${systemNamespace} deleted\n`);
  await client.get(kinds.deployment, "attune-operator", { namespace: "theirs" });
});

const pool = (name: string, more: object = {}): MachineConfigPool => {
  const built = builtInPool(name);
  return { ...built, spec: { ...built.spec, configuration: { name: `rendered-${name}-1` }, ...more } };
};

function config(name: string, owner?: string): KubeObject {
  const reference = { apiVersion, kind: "MachineConfigPool", name: owner ?? "", uid: "1", controller: true };
  const metadata = { name, ...(owner ? { ownerReferences: [reference], annotations: { [generatedBy]: "1" } } : {}) };
  return { apiVersion, kind: "MachineConfig", metadata, spec: { kernelArguments: ["quiet"] } };
}

it("deletes rendered configs and unchanged pools of the operator, and does not call them objects of users", async () => {
  const client = await installed("plain");
  for (const one of [pool("master"), pool("worker")]) await client.create(machineConfigPoolKind, one);
  await client.create(machineConfigKind, config("rendered-worker-1", "worker"));
  const text = await uninstall(client);
  expect(text).not.toContain("kept");
  expect(text).toContain("CustomResourceDefinition machineconfigs.machineconfiguration.openshift.io deleted\n");
});

it("keeps MachineConfigs and pools of users, and names only these", async () => {
  const client = await installed("plain");
  for (const one of [pool("master"), pool("worker", { maxUnavailable: 3 })])
    await client.create(machineConfigPoolKind, one);
  for (const one of [config("60-mine"), config("rendered-worker-1", "worker")])
    await client.create(machineConfigKind, one);
  const text = await uninstall(client);
  expect(text.split("\n").filter((line) => line.includes(" kept: "))).toEqual([
    expect.stringContaining("kept: it has objects of users: MachineConfigPool worker; --crds"),
    expect.stringContaining("kept: it has objects of users: MachineConfig 60-mine; --crds"),
  ]);
  const names = async (kind: KindRef): Promise<unknown> =>
    (await client.list(kind)).items.map(({ metadata }) => metadata.name);
  expect([await names(machineConfigPoolKind), await names(machineConfigKind)]).toEqual([["worker"], ["60-mine"]]);
});
