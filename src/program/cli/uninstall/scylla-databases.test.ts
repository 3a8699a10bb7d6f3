import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { isNotFound } from "../../../cluster/kube/api-error.ts";
import { loadConnection } from "../../../cluster/kube/connect/load-connection.ts";
import { Discovery } from "../../../cluster/kube/discovery.ts";
import type { KindRef } from "../../../cluster/kube/client.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { scyllaNodeConfigKind, scyllaOperatorConfigKind } from "../../../domain/scylla/api.ts";
import { agentAccess } from "../../../domain/scylla/config/agent-access.ts";
import { decideDefaults } from "../../../domain/scylla/config/decide-defaults.ts";
import { gateAccess } from "../../../domain/scylla/gate/access.ts";
import { gateName } from "../../../domain/scylla/gate/gate-names.ts";
import type { Pod } from "../../../domain/scylla/gate/gated-pod.ts";
import { readRelease, releaseConfigMap } from "../../../domain/scylla/gate/release.ts";
import { sidecarCommand } from "../../../domain/scylla/gate/sidecar.ts";
import { nodeLabel, releaseName, tuningNamespace } from "../../../domain/scylla/names.ts";
import { scyllaPodLabels } from "../../../domain/scylla/scylla-pod.ts";
import { startServer } from "../../../embedded/apiserver/server.ts";
import { systemNamespace } from "../../operator/names.ts";
import { applyManifests } from "../install/apply-manifests.ts";
import { foundation } from "../install/manifests.ts";
import { RecordingTerminal } from "../terminal/testing/recording-terminal.ts";
import { uninstallFrom, type UninstallOptions } from "./uninstall.ts";

const theirs = { namespace: "default" };

/** What is installed and what the operator creates, without programs. */
async function installed(): Promise<HttpClient> {
  const dir = await mkdtemp(join(tmpdir(), "attune-uninstall-"));
  const server = await startServer({ dir, storage: "memory" });
  const client = new HttpClient(await loadConnection({ kubeconfig: server.kubeconfig }));
  onTestFinished(async () => {
    client.close();
    await server.close();
    await rm(dir, { recursive: true, force: true });
  });
  await applyManifests(client, [...foundation({ mode: "tuning", scylla: true }), ...agentAccess()]);
  const { objects } = decideDefaults({
    configs: [],
    operatorConfig: undefined,
    utilsImage: "scylladb/scylla:2025.3.0",
  });
  for (const { object } of objects) {
    const of: KindRef = object.kind === scyllaNodeConfigKind.kind ? scyllaNodeConfigKind : scyllaOperatorConfigKind;
    await client.create(of, object);
  }
  return client;
}

async function uninstall(client: HttpClient, options: Partial<UninstallOptions> = {}): Promise<string> {
  const all = {
    namespace: systemNamespace,
    dryRun: false,
    crds: false,
    timeout: 60_000,
    output: "text",
    ...options,
  } as const;
  const terminal = new RecordingTerminal();
  await uninstallFrom(client, all, { terminal, signal: new AbortController().signal });
  return terminal.stdout;
}

async function labelled(client: HttpClient): Promise<string[]> {
  const served = (await new Discovery(client).all()).filter(({ verbs }) => verbs.includes("list"));
  const found: string[] = [];
  for (const label of ["part-of", "managed-by"])
    for (const of of served) {
      const { items } = await client.list(of, { labelSelector: `app.kubernetes.io/${label}=attune` });
      found.push(...items.map(({ metadata }) => `${of.kind} ${metadata.name}`));
    }
  return found;
}

async function createDatabase(client: HttpClient, name: string): Promise<Pod> {
  const container = { image: "scylladb/scylla:2025.1.5" };
  return (await client.create(
    kinds.pod,
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, labels: { ...scyllaPodLabels } },
      spec: {
        containers: [
          { name: "scylla", ...container },
          ...(name === "open" ? [] : [{ name: gateName, image: "attune", command: [...sidecarCommand] }]),
        ],
      },
    },
    theirs,
  )) as Pod;
}

async function createJob(client: HttpClient, node: string): Promise<void> {
  const containers = [{ name: "perftune", image: "attune" }];
  const spec = { template: { spec: { containers, restartPolicy: "Never" as const } } };
  const { apiVersion, kind } = scyllaNodeConfigKind;
  const { name = "", uid = "" } = (await client.get(scyllaNodeConfigKind, "cluster")).metadata;
  const ownerReferences = [{ apiVersion, kind, name, uid, controller: true }];
  const metadata = { name: `perftune-${node}`, labels: { [nodeLabel]: node }, ownerReferences };
  await client.create(
    kinds.job,
    { apiVersion: "batch/v1", kind: "Job", metadata, spec },
    { namespace: tuningNamespace },
  );
}

it("deletes what was installed for Scylla and what the operator created for it", async () => {
  const client = await installed();
  const text = await uninstall(client);
  expect(text).not.toContain("kept");
  expect(text).not.toContain("tuned for Scylla");
  for (const object of [
    "ClusterRole scylla-node-config",
    "ClusterRoleBinding scylla-node-config",
    "ValidatingAdmissionPolicy attune-scylla-agent-own-node",
    "ValidatingAdmissionPolicyBinding attune-operator-scylla-roles",
    "CustomResourceDefinition scyllanodeconfigs.scylla.scylladb.com",
    "CustomResourceDefinition scyllaoperatorconfigs.scylla.scylladb.com",
    `Namespace ${tuningNamespace}`,
  ])
    expect(text).toContain(`${object} deleted\n`);
  expect(await labelled(client)).toEqual([]);
  expect(await uninstall(client)).toBe("Nothing to do: the cluster has no objects of Attune\n");
});

it("keeps a ScyllaNodeConfig of users, and the default objects that they have changed", async () => {
  const client = await installed();
  const { apiVersion, kind } = scyllaNodeConfigKind;
  await client.create(scyllaNodeConfigKind, { apiVersion, kind, metadata: { name: "mine" }, spec: {} });
  const patch = { spec: { scyllaUtilsImage: "mine:1" } };
  await client.patch(scyllaOperatorConfigKind, "cluster", { type: "merge", patch });
  const lines = (await uninstall(client)).split("\n").filter((line) => line.includes(" kept: "));
  expect(lines.toSorted()).toEqual([
    expect.stringContaining("it has objects of users: ScyllaNodeConfig mine; --crds"),
    expect.stringContaining("it has objects of users: ScyllaOperatorConfig cluster; --crds"),
  ]);
  await client.get(scyllaNodeConfigKind, "mine");
  expect(await uninstall(client, { crds: true })).not.toContain("kept");
  expect(await labelled(client)).toEqual([]);
});

it("takes objects of users with the default name for theirs", async () => {
  const client = await installed();
  await client.delete(scyllaNodeConfigKind, "cluster");
  const { apiVersion, kind } = scyllaNodeConfigKind;
  await client.create(scyllaNodeConfigKind, { apiVersion, kind, metadata: { name: "cluster" }, spec: {} });
  expect(await uninstall(client)).toContain("it has objects of users: ScyllaNodeConfig cluster; --crds");
});

it("opens the gates of databases for every container, keeps the gates' rights, and names tuned nodes", async () => {
  const client = await installed();
  const [open, waiting, tuned] = [
    await createDatabase(client, "open"),
    await createDatabase(client, "waiting"),
    await createDatabase(client, "tuned"),
  ];
  for (const object of gateAccess(waiting))
    await client.create(object.kind === "Role" ? kinds.role : kinds.roleBinding, object, theirs);
  const one = releaseConfigMap(tuned, { containerId: "containerd://a", irqCpus: "0", outcome: "tuned" });
  await client.create(kinds.configMap, one, theirs);
  for (const node of ["node-2", "node-1"]) await createJob(client, node);

  const dry = await uninstall(client, { dryRun: true });
  expect(dry).toContain("stays on 2 nodes (node-1, node-2)");
  await expect(release(waiting)).rejects.toSatisfy(isNotFound);

  expect(await uninstall(client)).toContain("What was tuned for Scylla stays on 2 nodes (node-1, node-2): on each, ");
  for (const pod of [waiting, tuned])
    expect(readRelease(await release(pod))).toEqual({ outcome: "skipped: Attune was uninstalled" });
  await expect(release(open)).rejects.toSatisfy(isNotFound);
  expect((await labelled(client)).toSorted()).toEqual(
    ["Role", "RoleBinding"].map((kind) => `${kind} ${gateName}-${waiting.metadata.uid}`),
  );

  function release({ metadata }: Pod) {
    return client.get(kinds.configMap, releaseName(metadata.uid ?? ""), theirs);
  }
});
