import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline, Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { serviceMonitorKind } from "../../src/cluster/kube/manifest-kinds.ts";
import type { Client, KindRef } from "../../src/cluster/kube/client.ts";
import { machineConfigKind } from "../../src/domain/machine-config/api.ts";
import { apiVersion, hostedClusterKind, nodePoolKind } from "../../src/domain/node-pool/api.ts";
import { tunedKind, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { findCondition } from "../../src/language/object/condition.ts";
import { customDefinition } from "../../src/language/object/custom-definition.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { hostedOperatorRole } from "../../src/program/management/rbac.ts";
import { runManagement } from "../../src/program/management/management.ts";
import { eventually, gone } from "../node-tuning/eventually.ts";
import { namespaceLike, poolNamespace, twoClusters, type TwoClusters } from "./two-clusters.ts";

const users = { namespace: poolNamespace };
const ownKinds: readonly [KindRef, string][] = [
  [kinds.serviceAccount, "attune-operator"],
  [kinds.roleBinding, hostedOperatorRole],
  [kinds.service, "node-tuning-operator"],
  [kinds.secret, "attune-hosted-kubeconfig"],
  [kinds.deployment, "attune-operator"],
];

const token = "/var/run/secrets/kubernetes.io/serviceaccount/token";

function refusal(message: string): string {
  return JSON.stringify({ kind: "Status", code: 403, message });
}

/** Of no JSON: a reader of the whole never comes to an end. */
function endless(): Readable {
  const piece = Buffer.alloc(64 * 1024, "x");
  return new Readable({
    read() {
      this.push(piece);
    },
  });
}

describe("the operators of hosted clusters", { timeout: 60_000 }, () => {
  let clusters: TwoClusters;
  let client: Client;
  let kubeconfig: string;
  let enemies = 0;
  const stop = new AbortController();
  let running: Promise<void> | undefined;

  beforeAll(async () => {
    clusters = await twoClusters();
    ({ client } = clusters.management);
    kubeconfig = await readFile(clusters.hosted.server.kubeconfig, "utf8");
    running = runManagement({ client, signal: stop.signal, image: "attune:test", leaderElection: false });
  });
  afterAll(async () => {
    stop.abort();
    await running;
    await clusters?.close();
  });

  it("run in the control plane namespaces, with the kubeconfig of the hosted cluster and a role of that namespace", async () => {
    await create("a", kubeconfig);
    const namespace = "clusters-a";
    for (const [kind, name] of ownKinds) await eventually(name, () => client.get(kind, name, { namespace }));
    const { roleRef } = await client.get(kinds.roleBinding, hostedOperatorRole, { namespace });
    expect(roleRef).toMatchObject({ kind: "ClusterRole", name: hostedOperatorRole });
    const { spec } = await client.get(kinds.deployment, "attune-operator", { namespace });
    const [container] = spec?.template.spec?.containers ?? [];
    const env = Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value]));
    expect(env).toMatchObject({
      HYPERSHIFT: "true",
      KUBECONFIG: "/etc/kubernetes/kubeconfig",
      RELEASE_VERSION: "4.22.0",
    });
    expect(container?.args).not.toContain("--mode");
    const copy = await client.get(kinds.secret, "attune-hosted-kubeconfig", { namespace });
    expect(atob(copy.data?.["kubeconfig"] ?? "")).toBe(kubeconfig);
  });

  it("find their kinds and the account of their agents in the hosted cluster", async () => {
    const hosted = clusters.hosted.client;
    const place = { namespace: tuningNamespace };
    await eventually("the agents' account", () => hosted.get(kinds.serviceAccount, "attune-agent", place));
    await hosted.list(tunedKind);
    await hosted.list(machineConfigKind);
    await eventually("waiting for the Deployment", async () => (await reasonOf("a")) === "OperatorNotAvailable");
    const status = { conditions: [{ type: "Available", status: "True" }] };
    const options = { namespace: "clusters-a", subresource: "status" };
    await client.patch(kinds.deployment, "attune-operator", { type: "merge", patch: { status } }, options);
    await eventually("available", async () => (await reasonOf("a")) === "AsExpected");
  });

  it("do not wait for a hosted cluster that is down, and its HostedCluster says so", async () => {
    await create("down", kubeconfig.replace(/server: .*/, "server: https://127.0.0.1:1"));
    await eventually("reported", async () => (await reasonOf("down")) === "HostedClusterUnreachable");
    await eventually("its Deployment", () => deployment("down"));
    await create("b", kubeconfig);
    await eventually("the other one", async () => (await reasonOf("b")) === "OperatorNotAvailable");
  });

  it.each([
    ["no Secret", "missing", undefined, "KubeconfigMissing"],
    ["a command in it", "command", "users: [{name: u, user: {exec: {command: /bin/sh}}}]", "KubeconfigInvalid"],
    ["a token of the operator", "file", `users: [{name: u, user: {tokenFile: ${token}}}]`, "KubeconfigInvalid"],
    ["no kubeconfig in it", "text", "- a", "KubeconfigInvalid"],
  ])("wait for a kubeconfig: %s", async (_, name, text, reason) => {
    await create(name, text);
    await eventually("reported", async () => (await reasonOf(name)) === reason);
    // An operator would run that command, or send its own token, beside credentials of the management cluster.
    for (const [kind, object] of ownKinds)
      await expect(client.get(kind, object, { namespace: `clusters-${name}` })).rejects.toThrow("not found");
  });

  it.each([
    ["other words each time", (count: number) => refusal(`no ${count}`)],
    ["more words than a condition holds", () => refusal("x".repeat(2_000_000))],
    ["a response without end", () => undefined],
  ])("are not kept busy by a hosted cluster that answers with %s", async (_, answer) => {
    let requests = 0;
    const name = `enemy-${enemies++}`;
    const server = createServer((__, response) => {
      const text = answer(++requests);
      response.writeHead(text === undefined ? 200 : 403, { "content-type": "application/json" });
      if (text === undefined) pipeline(endless(), response, () => {});
      else response.end(text);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    await create(name, kubeconfig.replace(/server: .*/, `server: http://127.0.0.1:${port}`));
    await eventually("reported", async () => (await reasonOf(name)) === "HostedClusterUnreachable");
    const before = await conditionOf(name);
    const place = { namespace: `clusters-${name}` };
    // An event that brings the controller here again.
    await client.delete(kinds.roleBinding, hostedOperatorRole, place);
    await eventually("created again", () => client.get(kinds.roleBinding, hostedOperatorRole, place));
    expect(requests).toBe(1);
    expect((await conditionOf(name))?.message).toBe(before?.message);
    server.closeAllConnections();
    server.close();
  });

  it("leave objects of others alone, and name them", async () => {
    const namespace = "clusters-taken";
    await client.create(kinds.namespace, namespaceLike(namespace));
    const service = { apiVersion: "v1", kind: "Service", metadata: { name: "node-tuning-operator" } };
    await client.create(kinds.service, { ...service, spec: { ports: [{ port: 1 }] } }, { namespace });
    await create("taken", kubeconfig);
    await eventually("reported", async () =>
      (await conditionOf("taken"))?.message.includes("Service node-tuning-operator"),
    );
    const { spec } = await client.get(kinds.service, "node-tuning-operator", { namespace });
    expect(spec?.ports?.map(({ port }) => port)).toEqual([1]);
    await deployment("taken");
  });

  it("never share a control plane namespace, nor take that of others: NodePools and HostedClusters say so", async () => {
    const tuned = (name: string): string =>
      JSON.stringify({ apiVersion: "tuned.openshift.io/v1", kind: "Tuned", metadata: { name }, spec: {} });
    const from = async (namespace: string, name: string): Promise<void> => {
      const place = { namespace };
      await client.create(kinds.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
      const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "t" } };
      await client.create(kinds.configMap, { ...configMap, data: { tuning: tuned(namespace) } }, place);
      const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "k" } };
      await client.create(kinds.secret, { ...secret, data: { kubeconfig: btoa(kubeconfig) } }, place);
      const hosted = { apiVersion, kind: "HostedCluster", metadata: { name } };
      await client.create(hostedClusterKind, { ...hosted, spec: { kubeconfig: { name: "k" } } }, place);
      const spec = { clusterName: name, tuningConfig: [{ name: "t" }] };
      await client.create(nodePoolKind, { apiVersion, kind: "NodePool", metadata: { name: "np" }, spec }, place);
    };
    const place = { namespace: "x-y-z" };
    await from("x-y", "z");
    await eventually("its operator", () => client.get(kinds.deployment, "attune-operator", place));
    await eventually("its Tuneds", () => client.get(kinds.configMap, "tuned-np", place));
    const of = "control plane namespace x-y-z is that of HostedCluster x-y/z: choose another name";
    const foreign = /^namespace kube-system exists and is no control plane namespace/;
    for (const [namespace, name, message] of [
      ["x", "y-z", of],
      ["kube", "system", foreign],
    ] as const) {
      await from(namespace, name);
      const [taken, invalid] = await eventually("both say so", async () => {
        const hosted = await client.get(hostedClusterKind, name, { namespace });
        const nodePool = await client.get(nodePoolKind, "np", { namespace });
        const both = [
          findCondition(hosted.status?.conditions, "NodeTuningAvailable"),
          findCondition(nodePool.status?.conditions, "ValidTuningConfig"),
        ];
        return both.every((one) => one !== undefined) && both;
      });
      expect(taken).toMatchObject({ status: "False", reason: "NamespaceTaken" });
      expect(invalid).toMatchObject({ status: "False" });
      for (const one of [taken, invalid]) expect(one?.message).toMatch(message);
      await client.delete(nodePoolKind, "np", { namespace });
      await gone("the NodePool", () => client.get(nodePoolKind, "np", { namespace }));
    }
    const { data } = await client.get(kinds.configMap, "tuned-np", place);
    expect(data?.["tuned"]).toContain("name: x-y\n");
    const { metadata } = await client.get(kinds.deployment, "attune-operator", place);
    expect(metadata.annotations).toMatchObject({ "hypershift.openshift.io/cluster": "x-y/z" });
    for (const [kind, name] of ownKinds)
      await expect(client.get(kind, name, { namespace: "kube-system" })).rejects.toThrow("not found");
  });

  it("follow changes: edits are undone, and a new kubeconfig starts them again", async () => {
    const digest = (object: KubeObject): unknown =>
      (object as { spec?: { template?: { metadata?: { annotations?: object } } } }).spec?.template?.metadata
        ?.annotations;
    const before = digest(await deployment("a"));
    const data = { kubeconfig: btoa(`${kubeconfig}\n# renewed\n`) };
    await client.patch(kinds.secret, "kubeconfig-a", { type: "merge", patch: { data } }, users);
    await client.patch(
      kinds.deployment,
      "attune-operator",
      { type: "json", operations: [{ op: "replace", path: "/spec/template/spec/containers/0/image", value: "evil" }] },
      { namespace: "clusters-a" },
    );
    await eventually("restored", async () => {
      const { spec } = await client.get(kinds.deployment, "attune-operator", { namespace: "clusters-a" });
      return spec?.template.spec?.containers[0]?.image === "attune:test";
    });
    expect(digest(await deployment("a"))).not.toEqual(before);
    const place = { namespace: "clusters-a" };
    await client.delete(kinds.roleBinding, hostedOperatorRole, place);
    await eventually("created again", () => client.get(kinds.roleBinding, hostedOperatorRole, place));
  });

  it("have their metrics collected once the Prometheus operator is installed", async () => {
    const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    const schema = { openAPIV3Schema: { type: "object", properties: { spec: anything } } };
    const versions = [{ name: "v1", served: true, storage: true, schema }];
    const { apiVersion: of, ...kind } = serviceMonitorKind;
    const definition = customDefinition({ ...kind, group: of.split("/")[0] ?? "", scope: "Namespaced", versions });
    await client.create(kinds.customResourceDefinition, definition as never);
    for (const name of ["a", "b"])
      await eventually("its ServiceMonitor", () =>
        client.get(serviceMonitorKind, "node-tuning-operator", { namespace: `clusters-${name}` }),
      );
  });

  it("are removed with their hosted cluster, and when its nodes are not tuned", async () => {
    await client.delete(hostedClusterKind, "a", users);
    const patch = { spec: { capabilities: { disabled: ["NodeTuning"] } } };
    await client.patch(hostedClusterKind, "b", { type: "merge", patch }, users);
    for (const name of ["a", "b"])
      for (const [kind, object] of ownKinds)
        await gone(object, () => client.get(kind, object, { namespace: `clusters-${name}` }));
    await gone("its ServiceMonitor", () =>
      client.get(serviceMonitorKind, "node-tuning-operator", { namespace: "clusters-a" }),
    );
    await deployment("down");
  });

  async function create(name: string, text: string | undefined): Promise<void> {
    const secret = `kubeconfig-${name}`;
    if (text !== undefined)
      await client.create(
        kinds.secret,
        { apiVersion: "v1", kind: "Secret", metadata: { name: secret }, data: { kubeconfig: btoa(text) } },
        users,
      );
    const spec = { release: { image: "release:4.22.0-x86_64" }, kubeconfig: { name: secret } };
    await client.create(hostedClusterKind, { apiVersion, kind: "HostedCluster", metadata: { name }, spec }, users);
  }

  async function conditionOf(name: string): Promise<{ reason: string; message: string } | undefined> {
    const { status } = await client.get(hostedClusterKind, name, users);
    return findCondition(status?.conditions, "NodeTuningAvailable");
  }

  async function reasonOf(name: string): Promise<string | undefined> {
    return (await conditionOf(name))?.reason;
  }

  function deployment(name: string): Promise<KubeObject> {
    return client.get<KubeObject>(kinds.deployment, "attune-operator", { namespace: `clusters-${name}` });
  }
});
