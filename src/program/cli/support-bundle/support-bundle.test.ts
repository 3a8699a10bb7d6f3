import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { extract } from "tar-stream";
import { expect, it } from "vitest";
import { ApiError } from "../../../cluster/kube/api-error.ts";
import type { Client, KindRef } from "../../../cluster/kube/client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { keys } from "../../../domain/hosted/protocol.ts";
import { hostedClusterKind, nodePoolKind } from "../../../domain/node-pool/api.ts";
import { nodePoolCrds } from "../../../domain/node-pool/crds.ts";
import { tunedKind, tuningNamespace } from "../../../domain/node-tuning/api.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { operatorLabels } from "../../operator/deployment.ts";
import { readOnlyClient } from "../../gather/read-only-client.ts";
import { systemNamespace } from "../../operator/names.ts";
import { RecordingTerminal } from "../terminal/testing/recording-terminal.ts";
import { testCluster, type TestCluster } from "../testing/test-cluster.ts";
import { exampleTuned } from "../up/worked-example.ts";
import { supportBundleOf } from "./support-bundle.ts";

/** It is in every place from which it must not reach a bundle. */
const secret = "hunter2-of-the-test";
const token = `eyJhbGciOiJSUzI1NiJ9.${Buffer.from(secret).toString("base64url")}.c2lnbmF0dXJl`;

async function clusterWithSecrets(): Promise<TestCluster> {
  const cluster = await testCluster();
  const { client } = cluster;
  const namespace = systemNamespace;
  const own = (name: string): object => ({
    name,
    namespace,
    annotations: { "kubectl.kubernetes.io/last-applied-configuration": secret },
  });
  const create = (kind: keyof typeof kinds, object: object): Promise<unknown> => {
    const { apiVersion, kind: name } = kinds[kind];
    return client.create(kinds[kind] as typeof kinds.node, { apiVersion, kind: name, ...object } as never, {
      namespace,
    });
  };
  await create("namespace", { metadata: { name: namespace } });
  await create("secret", { metadata: own("s"), stringData: { password: secret } });
  await create("configMap", { metadata: own("c"), data: { "config.yaml": `password: ${secret}`, other: "kept" } });
  const containers = [
    { name: "a", image: "a", env: [{ name: "PASSWORD", value: secret }], args: [`--token=${secret}`] },
  ];
  await create("serviceAccount", { metadata: { name: "default", namespace } }).catch(() => undefined);
  await create("pod", { metadata: own("p"), spec: { containers, automountServiceAccountToken: false } });
  await create("event", {
    metadata: { name: "e", namespace },
    involvedObject: { kind: "Pod", name: "p", namespace },
    type: "Warning",
    reason: "Failed",
    message: `refused ${token}`,
  });
  await client.create(tunedKind, exampleTuned());
  return cluster;
}

/** The files of the archive by name, without the folder they are in. */
async function filesOf(path: string): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  const tar = extract();
  tar.end(await promisify(gunzip)(await readFile(path)));
  for await (const entry of tar) {
    const parts: Buffer[] = [];
    for await (const part of entry) parts.push(part);
    files.set(entry.header.name.split("/").slice(1).join("/"), Buffer.concat(parts).toString());
  }
  return files;
}

/** With logs of the pod, which has never run here. */
function withLogs(client: Client): Client {
  return {
    ...readOnlyClient(client),
    async raw(method, path, ...rest) {
      if (!path.includes("/log?")) return client.raw(method, path, ...rest);
      if (!path.includes("previous")) return `started with ${token}\nready\n`;
      throw new ApiError({ code: 400, reason: "BadRequest", message: "no previous container", request: path });
    },
  };
}

async function bundleOf(cluster: TestCluster, client: Client, most?: number) {
  const file = join(cluster.dir, `bundle-${most}.tar.gz`);
  const terminal = new RecordingTerminal();
  const options = { namespace: tuningNamespace, systemNamespace, file };
  const now = new Date("2026-01-02T03:04:05Z");
  await supportBundleOf([{ name: "c", client }], options, {
    terminal,
    signal: cluster.signal,
    now,
    ...(most && { most }),
  });
  return { file, printed: terminal.stdout, files: await filesOf(file) };
}

it("has objects, status, events and logs of Attune, and no secret of any of them", async () => {
  const cluster = await clusterWithSecrets();
  const { file, files, printed } = await bundleOf(cluster, withLogs(cluster.client));
  const own = `${systemNamespace}/`;
  for (const name of [
    "versions.json",
    "status.txt",
    `objects/tuneds/${tuningNamespace}/quiet-memory.yaml`,
    `objects/configmaps/${own}c.yaml`,
    `objects/pods/${own}p.yaml`,
    `events/${systemNamespace}.txt`,
    `logs/${own}p/a.log`,
  ])
    expect([...files.keys()]).toContain(name);
  expect(files.get(`logs/${own}p/a.log`)).toBe("started with <redacted>\nready\n");
  expect(files.get(`objects/configmaps/${own}c.yaml`)).toContain("kept");
  expect([...files.keys()].filter((name) => name.includes("secrets"))).toEqual([]);
  for (const [name, text] of files)
    for (const hidden of [secret, token]) expect([name, text.includes(hidden)]).toEqual([name, false]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(printed).toMatch(/with [0-9]+ objects, 1 events and 1 logs\n\nNot in it: Secrets/);
  await expect(bundleOf(cluster, cluster.client)).rejects.toThrow("the file exists; name another with --file");
});

/** With a NodePool, whose ConfigMap has a file that is a secret, and the operator of its hosted cluster. */
async function managementCluster(): Promise<TestCluster> {
  const cluster = await testCluster(nodePoolCrds);
  const { client } = cluster;
  const meta = (name: string, namespace = "clusters", labels = {}): object => ({
    metadata: { name, namespace, labels },
  });
  for (const name of ["clusters", "clusters-demo"])
    await client.create(kinds.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  const machineConfig = `kind: MachineConfig
spec: {config: {storage: {files: [{path: /etc/p, contents: {source: "data:,${secret}"}}]}, passwd: {users: [{passwordHash: ${secret}}]}}}
`;
  const put = (kind: KindRef, namespace: string, object: object): Promise<KubeObject> =>
    client.create(kind, { apiVersion: kind.apiVersion, kind: kind.kind, ...object } as KubeObject, { namespace });
  await put(hostedClusterKind, "clusters", { ...meta("demo"), spec: {} });
  const spec = { clusterName: "demo", replicas: 1, config: [{ name: "given" }], tuningConfig: [] };
  await put(nodePoolKind, "clusters", { ...meta("workers"), spec });
  await put(kinds.configMap, "clusters", { ...meta("given"), data: { config: machineConfig } });
  await put(kinds.configMap, "clusters", { ...meta("other"), data: { config: secret } });
  const packed = Buffer.from(secret.repeat(100)).toString("base64");
  const order = meta("pool-order-workers", "clusters-demo", { [keys.nodePool]: "workers" });
  await put(kinds.configMap, "clusters-demo", { ...order, data: { payload: packed, order: "{}" } });
  const pod = { containers: [{ name: "a", image: "a" }], automountServiceAccountToken: false };
  await put(kinds.serviceAccount as KindRef, "clusters-demo", meta("default", "clusters-demo")).catch(() => undefined);
  for (const [name, labels] of [
    ["operator", operatorLabels],
    ["etcd", {}],
  ] as const)
    await put(kinds.pod, "clusters-demo", { ...meta(name, "clusters-demo", labels), spec: pod });
  return cluster;
}

it("has both clusters of hosted control planes, what NodePools name and the operators there, and no secret of either", async () => {
  const [management, hosted] = [await managementCluster(), await clusterWithSecrets()];
  const file = join(management.dir, "both.tar.gz");
  const terminal = new RecordingTerminal();
  const options = { namespace: tuningNamespace, systemNamespace, file };
  const clusters = [
    { name: "default/api:6443/admin", client: withLogs(management.client) },
    { name: "hosted", client: withLogs(hosted.client) },
  ];
  await supportBundleOf(clusters, options, { terminal, signal: management.signal });
  const files = await filesOf(file);
  const names = [...files.keys()];
  const first = "default-api-6443-admin";
  for (const name of [
    `${first}/status.txt`,
    `${first}/objects/nodepools/clusters/workers.yaml`,
    `${first}/objects/configmaps/clusters/given.yaml`,
    `${first}/objects/configmaps/clusters-demo/pool-order-workers.yaml`,
    `${first}/objects/pods/clusters-demo/operator.yaml`,
    `${first}/logs/clusters-demo/operator/a.log`,
    "hosted/versions.json",
    `hosted/objects/tuneds/${tuningNamespace}/quiet-memory.yaml`,
    "left-out.txt",
  ])
    expect(names).toContain(name);
  // Other ConfigMaps of users, and other parts of control planes, are none of our business.
  expect(names.filter((name) => /other|etcd/.test(name))).toEqual([]);
  expect(files.get(`${first}/objects/configmaps/clusters/given.yaml`)).toContain("data:,<redacted>");
  const encoded = Buffer.from(secret.repeat(3)).toString("base64").slice(4, 24);
  for (const [name, text] of files)
    for (const hidden of [secret, token, encoded]) expect([name, text.includes(hidden)]).toEqual([name, false]);
  expect(terminal.stdout).not.toContain("name these too");
  const alone = await bundleOf(management, management.client);
  expect(alone.printed).toContain("Nodes of NodePools are in hosted clusters: name these too, with another --context.");
});

it("has one cluster where the other does not answer, and says so", async () => {
  const cluster = await clusterWithSecrets();
  const file = join(cluster.dir, "half.tar.gz");
  const refuses = (): Promise<never> =>
    Promise.reject(new ApiError({ code: 0, reason: "", message: "connection refused", request: "GET /version" }));
  const away = { ...readOnlyClient(cluster.client), get: refuses, list: refuses, raw: refuses } as Client;
  const terminal = new RecordingTerminal();
  const clusters = [
    { name: "management", client: away },
    { name: "hosted", client: cluster.client },
  ];
  const options = { namespace: tuningNamespace, systemNamespace, file };
  await supportBundleOf(clusters, options, { terminal, signal: cluster.signal });
  const files = await filesOf(file);
  expect(files.get("left-out.txt")).toContain("management/the cluster: ");
  expect([...files.keys()]).toContain(`hosted/objects/tuneds/${tuningNamespace}/quiet-memory.yaml`);
});

it("names what the user may not read, and goes on", async () => {
  const cluster = await clusterWithSecrets();
  const client: Client = {
    ...readOnlyClient(cluster.client),
    async list(of, options) {
      if (of.plural !== "tuneds") return cluster.client.list(of, options);
      throw new ApiError({ code: 403, reason: "Forbidden", message: "tuneds is forbidden", request: "GET" });
    },
  };
  const { files, printed } = await bundleOf(cluster, client);
  expect(files.get("left-out.txt")).toContain("tuneds: tuneds is forbidden\n");
  expect(printed).toContain("  tuneds: tuneds is forbidden\n");
  expect([...files.keys()]).toContain(`objects/pods/${systemNamespace}/p.yaml`);
});

it("stays within its limit, and names what did not fit", async () => {
  const cluster = await clusterWithSecrets();
  const most = 1000;
  const { files } = await bundleOf(cluster, cluster.client, most);
  const { "left-out.txt": left = "", ...others } = Object.fromEntries(files);
  expect(Object.values(others).join("").length).toBeLessThanOrEqual(most);
  expect(left).toContain(`objects/pods/${systemNamespace}/p.yaml: it has `);
});
