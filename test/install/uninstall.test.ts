import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Impersonation } from "../../src/cluster/kube/connect/connection.ts";
import type { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { noLog } from "../../src/cluster/runtime/log/log.ts";
import { impatientClock } from "../../src/cluster/runtime/testing/impatient-clock.ts";
import { profileKind, tunedKind, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import type { VirtualNode } from "../../src/embedded/lab/kubelet/node/virtual-node.ts";
import { runLab } from "../../src/embedded/lab/run-lab.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { installManifests } from "../../src/program/cli/install/manifests.ts";
import { programs } from "../../src/program/cli/lab/container-programs.ts";
import { smallNodes } from "../../src/program/cli/lab/virtual-nodes.ts";
import { printObjects } from "../../src/program/cli/terminal/serialise.ts";
import { RecordingTerminal } from "../../src/program/cli/terminal/testing/recording-terminal.ts";
import { uninstallFrom, type UninstallOptions } from "../../src/program/cli/uninstall/uninstall.ts";
import { exampleLabel, exampleTuned } from "../../src/program/cli/up/worked-example.ts";
import { systemNamespace } from "../../src/program/operator/names.ts";
import { isTrue } from "../../src/language/object/condition.ts";
import { kubectlPath } from "../conformance/kubectl.ts";
import { eventually, gone } from "../node-tuning/eventually.ts";
import { clientFor } from "../servers/client-for.ts";
import { startEmbeddedServer } from "../servers/embedded-server.ts";
import type { ServerUnderTest } from "../servers/server-under-test.ts";

const namespaces = [systemNamespace, tuningNamespace];

/** What was installed, on virtual nodes that are tuned. */
interface Tuned {
  readonly server: ServerUnderTest;
  readonly admin: HttpClient;
  readonly nodes: readonly VirtualNode[];
  /** Ends the kubelets: from then on no agent runs, and nodes become NotReady. */
  readonly endNodes: () => Promise<void>;
}

async function tunedCluster(count = 2): Promise<Tuned> {
  const server = await startEmbeddedServer();
  const admin = clientFor(server);
  const nodes = smallNodes(count, "node-", () => ({ [exampleLabel]: "" }));
  const stop = new AbortController();
  const { signal } = stop;
  await applyManifests(admin, installManifests({ mode: "tuning" }));
  const clientAs = (who: Impersonation): HttpClient => admin.as(who);
  const { cluster } = admin.connection;
  const program = programs(admin, noLog);
  const lab = runLab({ client: admin, clientAs, cluster, nodes, program, workloads: {}, signal, log: noLog });
  const endNodes = async (): Promise<void> => {
    stop.abort();
    await lab;
  };
  onTestFinished(async () => {
    await endNodes();
    admin.close();
    await server.close();
  });
  await eventually("kinds are served", () => admin.list(tunedKind));
  await eventually("every node is tuned", async () => {
    const { items } = await admin.list(profileKind, { namespace: tuningNamespace });
    return items.length === count && items.every(({ status }) => isTrue(status?.conditions, "Applied"));
  });
  return { server, admin, nodes, endNodes };
}

/** The files of a node that it had not, or not so, when it started: each node has a boot id of its own. */
const changesOf = ({ host }: VirtualNode): string[] =>
  [...host.changes().keys()].filter((path) => path !== "/proc/sys/kernel/random/boot_id");

async function areAsBefore(nodes: readonly VirtualNode[]): Promise<void> {
  await eventually("the agents have rolled back", async () =>
    nodes.every((node) => changesOf(node).length === 0),
  ).catch(() => expect(nodes.map(changesOf)).toEqual(nodes.map(() => [])));
}

async function uninstall(
  admin: HttpClient,
  options: Partial<UninstallOptions> = {},
  onWaiting: () => void = () => undefined,
): Promise<{ code: number; out: string; err: string }> {
  const terminal = new RecordingTerminal();
  const { signal } = new AbortController();
  const all: UninstallOptions = {
    namespace: systemNamespace,
    dryRun: false,
    crds: false,
    timeout: 1_200_000,
    output: "text",
    ...options,
  };
  const err = (text: string): void => {
    terminal.err(text);
    onWaiting();
  };
  const code = await uninstallFrom(admin, all, { terminal: { ...terminal, err }, signal, clock: impatientClock() });
  return { code, out: terminal.stdout, err: terminal.stderr };
}

async function agentPods(admin: HttpClient): Promise<string[]> {
  const labelSelector = "app.kubernetes.io/name=attune-agent";
  const { items } = await admin.list(kinds.pod, { namespace: tuningNamespace, labelSelector });
  return items.map(({ metadata }) => metadata.name ?? "");
}

/** With a finalizer the pod of an agent stays after its end. */
async function hold(admin: HttpClient, finalizers: string[]): Promise<void> {
  for (const name of await agentPods(admin))
    await admin.patch(
      kinds.pod,
      name,
      { type: "merge", patch: { metadata: { finalizers } } },
      { namespace: tuningNamespace },
    );
}

/** Every object with a label of Attune, of kinds that can be listed. */
async function labelled(admin: HttpClient): Promise<string[]> {
  const { Discovery } = await import("../../src/cluster/kube/discovery.ts");
  const kindsOfServer = (await new Discovery(admin).all()).filter(({ verbs }) => verbs.includes("list"));
  const found: string[] = [];
  for (const labelSelector of ["app.kubernetes.io/part-of=attune", "app.kubernetes.io/managed-by=attune"])
    for (const of of kindsOfServer) {
      const { items } = await admin.list(of, { labelSelector });
      found.push(...items.map(({ metadata }) => `${of.kind} ${metadata.name}`));
    }
  return found;
}

describe("attune uninstall", () => {
  it("rolls back all nodes and deletes everything that install made, and a second run finds nothing", async () => {
    const { admin, nodes } = await tunedCluster();
    const { code, out } = await uninstall(admin);
    expect(out).toContain("2 nodes rolled back; nothing of Attune remains on them\n");
    for (const type of ["Mutating", "Validating"])
      expect(out).toContain(`${type}WebhookConfiguration attune-webhook deleted\n`);
    expect(out).not.toContain("kept");
    expect(code).toBe(0);
    expect(await labelled(admin)).toEqual([]);
    for (const name of namespaces) await gone(name, () => admin.get(kinds.namespace, name));
    await areAsBefore(nodes);
    expect(await uninstall(admin)).toEqual({
      code: 0,
      out: "Nothing to do: the cluster has no objects of Attune\n",
      err: "",
    });
  });

  it("changes nothing with --dry-run", async () => {
    const { admin, nodes } = await tunedCluster(1);
    const before = (await labelled(admin)).toSorted();
    const { out } = await uninstall(admin, { dryRun: true });
    expect(out).toContain(`Deployment ${systemNamespace}/attune-operator deleted (dry run)\n`);
    expect(out).toContain(`Namespace ${tuningNamespace} deleted (dry run)\n`);
    expect(out).toMatch(/^\d nodes? rolled back \(dry run\)\n/m);
    expect((await labelled(admin)).toSorted()).toEqual(before);
    expect((await admin.get(tunedKind, "default", { namespace: tuningNamespace })).spec?.managementState).not.toBe(
      "Removed",
    );
    expect(changesOf(nodes[0]!)).toContain("/var/lib/attune/journal.json");
  });

  it("keeps objects of users and says which, until --crds", async () => {
    const { admin, nodes } = await tunedCluster(1);
    await admin.create(tunedKind, exampleTuned(), { namespace: tuningNamespace });
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "theirs", namespace: systemNamespace } };
    await admin.create(kinds.secret, secret);
    const mine = exampleTuned().metadata.name ?? "";
    const { out } = await uninstall(admin);
    expect(out).toContain(
      `CustomResourceDefinition tuneds.tuned.openshift.io kept: it has objects of users: Tuned ${tuningNamespace}/${mine}; --crds deletes them too\n`,
    );
    expect(out).toContain(`Namespace ${tuningNamespace} kept: it contains Tuned ${tuningNamespace}/${mine}\n`);
    expect(out).toContain(`Namespace ${systemNamespace} kept: it contains Secret ${systemNamespace}/theirs\n`);
    await areAsBefore(nodes);
    const { items } = await admin.list(tunedKind, { namespace: tuningNamespace });
    expect(items.map(({ metadata }) => metadata.name)).toEqual([mine]);

    const again = await uninstall(admin, { crds: true });
    expect(again.out).not.toContain("tuneds.tuned.openshift.io kept");
    await gone("the namespace", () => admin.get(kinds.namespace, tuningNamespace));
    await admin.get(kinds.secret, "theirs", { namespace: systemNamespace });
  });

  it("does not touch what has its names but not its label", async () => {
    const { admin } = await tunedCluster(1);
    const role = await admin.get(kinds.clusterRole, "attune:webhook");
    const removal = { metadata: { labels: { "app.kubernetes.io/part-of": null } } };
    await admin.patch(kinds.clusterRole, "attune:webhook", { type: "merge", patch: removal });
    const { out } = await uninstall(admin);
    expect(out).toContain("ClusterRole attune:webhook kept: it was not created by Attune\n");
    expect((await admin.get(kinds.clusterRole, "attune:webhook")).metadata.uid).toBe(role.metadata.uid);
  });

  it("works without an operator, and continues where it was interrupted", async () => {
    const { admin, nodes } = await tunedCluster(1);
    await admin.delete(kinds.deployment, "attune-operator", { namespace: systemNamespace });
    await hold(admin, ["example.com/hold"]);
    await expect(uninstall(admin, { timeout: 1000 })).rejects.toThrow(
      /^uninstall: still waiting for 1 node: node-1 \(its agent [a-z, ]+\) after 1 s: run the command again to continue/,
    );
    await hold(admin, []);
    expect((await uninstall(admin)).code).toBe(0);
    expect(await labelled(admin)).toEqual([]);
    await areAsBefore(nodes);
  });

  it("names a node that is away, and does not wait for it for ever", async () => {
    const { admin, endNodes } = await tunedCluster(1);
    await endNodes();
    const conditions = [{ type: "Ready", status: "Unknown" }];
    await admin.patch(
      kinds.node,
      "node-1",
      { type: "merge", patch: { status: { conditions } } },
      { subresource: "status" },
    );
    const { code, out, err } = await uninstall(admin);
    expect(code).toBe(1);
    expect(err).toBe("waiting for 1 node: node-1 (the node is not ready)\n");
    expect(out).toContain("Node node-1 not rolled back: the node is not ready\n");
    expect(out).toContain("kubectl debug node/node-1 -it --profile=sysadmin --image=");
    // With these its agent finds out, when the node is back, that it was removed.
    await admin.get(kinds.serviceAccount, "attune-agent", { namespace: tuningNamespace });
    const { metadata } = await admin.get(kinds.namespace, tuningNamespace);
    expect(metadata.deletionTimestamp).toBeDefined();
    await gone("the CRD", () => admin.get(kinds.customResourceDefinition, "tuneds.tuned.openshift.io"));
  });

  it("names a node whose agent's pod was deleted by force while the node is away", async () => {
    const { admin, endNodes } = await tunedCluster(1);
    await endNodes();
    await admin.delete(kinds.node, "node-1");
    const force = { namespace: tuningNamespace, gracePeriodSeconds: 0 };
    let deleted: Promise<unknown> | undefined;
    const { code, out } = await uninstall(admin, {}, () => {
      deleted ??= agentPods(admin).then((pods) => Promise.all(pods.map((pod) => admin.delete(kinds.pod, pod, force))));
    });
    await deleted;
    expect(code).toBe(1);
    expect(out).toContain("Node node-1 not rolled back: there is no Node of this name\n");
  });

  it("refuses a namespace in which Attune is not installed, while it is in another", async () => {
    const { admin } = await tunedCluster(1);
    await expect(uninstall(admin, { namespace: "elsewhere" })).rejects.toThrow(
      `uninstall: Attune is installed in the namespace ${systemNamespace}: pass --namespace ${systemNamespace}`,
    );
  });
});

describe.runIf(kubectlPath)("kubectl delete", () => {
  const kubectl = ({ server }: Tuned, ...words: string[]): Promise<unknown> => {
    const options = ["--kubeconfig", server.kubeconfig, "--wait=false", "--ignore-not-found"];
    return promisify(execFile)(kubectlPath ?? "", ["delete", ...options, ...words]);
  };

  async function manifests({ server }: Tuned, order: "as printed" | "reversed"): Promise<string> {
    const all = installManifests({ mode: "tuning" });
    const file = join(dirname(server.kubeconfig), `${order.replace(" ", "-")}.yaml`);
    await writeFile(file, await printObjects(order === "reversed" ? all.toReversed() : all, "yaml"));
    return file;
  }

  it.each<[string, (cluster: Tuned) => Promise<unknown>]>([
    ["all manifests as printed", async (one) => kubectl(one, "-f", await manifests(one, "as printed"))],
    ["all manifests in reverse", async (one) => kubectl(one, "-f", await manifests(one, "reversed"))],
    ["the namespace of the agents", (one) => kubectl(one, "namespace", tuningNamespace)],
    ["both namespaces", (one) => kubectl(one, "namespace", ...namespaces)],
  ])("of %s rolls back the nodes, and leaves nothing on them", async (_, deletion) => {
    const cluster = await tunedCluster();
    await deletion(cluster);
    await areAsBefore(cluster.nodes);
  });
});
