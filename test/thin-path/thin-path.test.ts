import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runAgent } from "../../src/program/agent/agent.ts";
import { agentRbac, agentServiceAccount } from "../../src/program/agent/rbac.ts";
import { type ApiServer, startServer } from "../../src/embedded/apiserver/server.ts";
import type { MemoryHost } from "../../src/node/host/memory-host.ts";
import type { Client, KindRef } from "../../src/cluster/kube/client.ts";
import { bearer, staticCredentials } from "../../src/cluster/kube/connect/credentials.ts";
import { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { loadConnection } from "../../src/cluster/kube/connect/load-connection.ts";
import { runLab } from "../../src/embedded/lab/run-lab.ts";
import { VirtualNode } from "../../src/embedded/lab/kubelet/node/virtual-node.ts";
import { machineBase, smallMachine } from "../../src/embedded/lab/machine-base.ts";
import { labRbac, labServiceAccount } from "../../src/embedded/lab/rbac.ts";
import { exampleLabel, exampleSysctl, exampleTuned } from "../../src/program/cli/up/worked-example.ts";
import { type Profile, profileKind, type Tuned, tunedKind, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { nodeTuningCrds } from "../../src/domain/node-tuning/crds.ts";
import { isTrue } from "../../src/language/object/condition.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { operatorRbac, operatorServiceAccount } from "../../src/program/operator/rbac.ts";
import { systemNamespace } from "../../src/program/operator/names.ts";
import { runOperator } from "../../src/program/operator/operator.ts";

/** Every part uses the token of its own account, as in a real cluster, so that RBAC applies. */
let server: ApiServer;
let dir = "";
let admin: Client;
const stop = new AbortController();
const parts: Promise<void>[] = [];
const node = new VirtualNode({
  name: "n1",
  topology: smallMachine,
  base: machineBase(smallMachine),
  labels: { [exampleLabel]: "" },
});
const { host } = node;

const namespace = tuningNamespace;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "attune-thin-path-"));
  server = await startServer({ dir, storage: "memory" });
  admin = new HttpClient(await loadConnection({ kubeconfig: server.kubeconfig }));
  await install();
  const { signal } = stop;
  const [lab, operator, agent] = await Promise.all(
    [labServiceAccount, operatorServiceAccount, agentServiceAccount].map(clientOf),
  );
  parts.push(
    runLab({
      client: lab!,
      clientAs: (who) => lab!.as(who),
      cluster: lab!.connection.cluster,
      nodes: [node],
      workloads: false,
      signal,
    }),
    runOperator({ client: operator!, image: "attune:test", agentServiceAccount, version: "test", signal }),
    runAgent({ client: agent!, node: "n1", host, signal, resyncIntervalMs: 500 }),
  );
});

afterAll(async () => {
  stop.abort();
  await Promise.all(parts);
  await server.close();
  await rm(dir, { recursive: true, force: true });
});

async function install(): Promise<void> {
  const known = new Map<string, KindRef>(Object.values(kinds).map((kind) => [kind.kind, kind]));
  const namespaces = [systemNamespace, namespace].map((name) => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name },
  }));
  const objects: KubeObject[] = [
    ...namespaces,
    ...nodeTuningCrds,
    ...operatorRbac(systemNamespace, "auto"),
    ...agentRbac(systemNamespace),
    ...labRbac(systemNamespace, { nodes: ["n1"] }),
  ];
  for (const object of objects)
    await admin.create(known.get(object.kind)!, object, {
      namespace: object.metadata.namespace,
      fieldValidation: "Strict",
    });
  await until(kinds.customResourceDefinition, "profiles.tuned.openshift.io", undefined, ({ status }) =>
    isTrue(status?.conditions, "Established"),
  );
}

async function clientOf(account: string): Promise<HttpClient> {
  const request: KubeObject = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    metadata: {},
    spec: { audiences: [] },
  };
  const answer = await admin.create<KubeObject>(kinds.serviceAccount, request, {
    namespace: systemNamespace,
    name: account,
    subresource: "token",
  });
  const { token } = answer["status"] as { token: string };
  const connection = await loadConnection({ kubeconfig: server.kubeconfig });
  return new HttpClient({ ...connection, credentials: staticCredentials(bearer(token)) });
}

/** Waits for a watch event. */
async function until<T extends KubeObject>(
  of: KindRef<T>,
  name: string | undefined,
  namespace: string | undefined,
  holds: (object: T) => boolean,
): Promise<T> {
  const options = {
    namespace,
    ...(name === undefined ? {} : { fieldSelector: `metadata.name=${name}` }),
    sendInitialEvents: true,
    allowWatchBookmarks: true,
  };
  for await (const event of admin.watch(of, { ...options, resourceVersion: "", signal: AbortSignal.timeout(30_000) })) {
    if ((event.type === "ADDED" || event.type === "MODIFIED") && holds(event.object)) return event.object;
  }
  throw new Error(`the watch of ${of.kind} ${name ?? ""} ended`);
}

async function swappiness(host: MemoryHost): Promise<string> {
  const file = await host.read(exampleSysctl.path);
  return file.type === "text" ? file.text.trim() : file.type;
}

const observed = ({ metadata, status }: Profile): boolean => status?.observedGeneration === metadata.generation;

describe("from a Tuned to the kernel of a node", () => {
  test("a node that has just joined gets the default profile", async () => {
    const profile = await until(
      profileKind,
      "n1",
      namespace,
      (profile) => observed(profile) && isTrue(profile.status?.conditions, "Applied"),
    );
    expect(profile.status).toMatchObject({
      tunedProfile: "openshift-node",
      conditions: [
        { type: "Applied", status: "True", reason: "AsExpected" },
        { type: "Degraded", status: "False", reason: "AsExpected" },
      ],
    });
    expect(await swappiness(host)).toBe("10");
  });

  test("an applied Tuned reaches the node, and the status says so", async () => {
    await admin.patch(
      tunedKind,
      "quiet-memory",
      { type: "apply", object: exampleTuned(), force: true },
      { namespace, fieldManager: "kubectl" },
    );
    const profile = await until(
      profileKind,
      "n1",
      namespace,
      (profile) => observed(profile) && profile.status?.tunedProfile === "quiet-memory",
    );
    expect(isTrue(profile.status?.conditions, "Applied")).toBe(true);
    expect(isTrue(profile.status?.conditions, "Degraded")).toBe(false);
    expect(await swappiness(host)).toBe(exampleSysctl.value);
    await until(tunedKind, "quiet-memory", namespace, ({ status }) => isTrue(status?.conditions, "Valid"));
  });

  test("a value that another process changed is set back, and an event says so (W-21)", async () => {
    await host.write(exampleSysctl.path, "77\n");
    const event = await until(kinds.event, undefined, namespace, ({ reason }) => reason === "DriftRepaired");
    expect(event).toMatchObject({
      type: "Warning",
      involvedObject: { kind: "Profile", name: "n1", namespace },
      message: expect.stringMatching(/^another process changed .*swappiness to "77", set back to "11" /),
    });
    const { status } = await until(profileKind, "n1", namespace, ({ status }) => status?.exceptions !== undefined);
    expect(status?.exceptions).toEqual([
      {
        unit: "sysctl",
        option: exampleSysctl.name,
        state: "Repaired",
        wanted: "11",
        found: "77",
        from: expect.stringMatching(/^quiet-memory\/tuned.conf:\d+$/),
        message: "another process changed it",
        since: expect.stringMatching(/Z$/),
      },
    ]);
    expect(await swappiness(host)).toBe(exampleSysctl.value);
  });

  test("a setting that the kernel does not have is named in the status, and the others are applied (Q-1)", async () => {
    const tuned: Tuned = exampleTuned();
    tuned.spec!.profile![0]!.data += "vm.nosuch=1\nvm.max_map_count=300000\n";
    await admin.patch(tunedKind, "quiet-memory", { type: "merge", patch: { spec: tuned.spec } }, { namespace });
    const profile = await until(
      profileKind,
      "n1",
      namespace,
      (profile) => observed(profile) && isTrue(profile.status?.conditions, "Degraded"),
    );
    expect(profile.status?.conditions?.[1]?.message).toBe(
      "quiet-memory/tuned.conf:7: vm.nosuch: this node's kernel has no /proc/sys/vm/nosuch",
    );
    expect(profile.status?.exceptions).toContainEqual(
      expect.objectContaining({ option: "vm.nosuch", state: "Failed", from: "quiet-memory/tuned.conf:7" }),
    );
    expect(await host.read("/proc/sys/vm/max_map_count")).toEqual({ type: "text", text: "300000\n" });
  });

  test("the settings of a deleted Tuned are restored", async () => {
    await admin.delete(tunedKind, "quiet-memory", { namespace });
    const profile = await until(
      profileKind,
      "n1",
      namespace,
      (profile) => observed(profile) && profile.status?.tunedProfile === "openshift-node",
    );
    expect(isTrue(profile.status?.conditions, "Degraded")).toBe(false);
    expect(await swappiness(host)).toBe("10");
  });
});

describe("each part", () => {
  test("has only the rights it needs", async () => {
    const agent = await clientOf(agentServiceAccount);
    const operator = await clientOf(operatorServiceAccount);
    const forbidden = { reason: "Forbidden" };
    await expect(agent.delete(profileKind, "n1", { namespace })).rejects.toMatchObject(forbidden);
    await expect(agent.list(tunedKind, { namespace })).rejects.toMatchObject(forbidden);
    await expect(operator.list(kinds.secret, { namespace })).rejects.toMatchObject(forbidden);
    await expect(
      operator.patch(profileKind, "n1", { type: "merge", patch: { status: {} } }, { namespace, subresource: "status" }),
    ).rejects.toMatchObject(forbidden);
  });
});
