import type { Client } from "../../src/cluster/kube/client.ts";
import { untyped } from "../../src/cluster/kube/kinds.ts";
import { machineConfigKind, machineConfigPoolKind } from "../../src/domain/machine-config/api.ts";
import {
  profileKind,
  type Recommend,
  tunedKind,
  tuningNamespace as namespace,
} from "../../src/domain/node-tuning/api.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";

const nodes = untyped("v1", "Node", "nodes", false);
const daemonSets = untyped("apps/v1", "DaemonSet", "daemonsets", true);
const clusterOperators = untyped("config.openshift.io/v1", "ClusterOperator", "clusteroperators", false);

const role = "machineconfiguration.openshift.io/role";

/** Changes of a cluster, step by step. After each the operator runs until nothing changes any more. */
export const story: readonly { readonly what: string; readonly happen: (client: Client) => Promise<void> }[] = [
  {
    what: "two pools and three nodes join",
    async happen(client) {
      await createPool(client, "worker");
      await createPool(client, "worker-rt");
      await createNode(client, "one", { "node-role.kubernetes.io/worker": "", tier: "web" });
      await createNode(client, "two", { "node-role.kubernetes.io/worker": "" });
      await createNode(client, "three", { "node-role.kubernetes.io/worker-rt": "" });
    },
  },
  {
    what: "two Tuneds come, one with boot arguments",
    async happen(client) {
      await createTuned(client, "web", "[sysctl]\nnet.core.somaxconn=8192\n", {
        priority: 20,
        match: [{ label: "tier", value: "web" }],
      });
      await createTuned(client, "rt", "[bootloader]\ncmdline=isolcpus=2 nohz_full=2\n", {
        priority: 10,
        machineConfigLabels: { [role]: "worker-rt" },
      });
    },
  },
  {
    what: "one of them is edited",
    async happen(client) {
      const data = "[bootloader]\ncmdline=isolcpus=3 nohz_full=3\n";
      const patch = { spec: { profile: [{ name: "rt", data }] } };
      await client.patch(tunedKind, "rt", { type: "merge", patch }, { namespace });
    },
  },
  { what: "a node leaves", happen: (client) => client.delete(nodes, "two") },
  { what: "everything is removed", happen: (client) => manage(client, "Removed") },
  { what: "it is managed again", happen: (client) => manage(client, "Managed") },
  { what: "the rule with boot arguments goes", happen: (client) => client.delete(tunedKind, "rt", { namespace }) },
];

/** All objects that the operator and the agents have written, without values that differ from run to run. */
export async function outcome(client: Client): Promise<Record<string, unknown>> {
  const all: [string, unknown][] = [];
  for (const of of [tunedKind, profileKind, daemonSets, machineConfigKind, clusterOperators])
    for (const object of (await client.list(of, of.namespaced ? { namespace } : {})).items)
      all.push([`${of.kind} ${object.metadata.name}`, lasting(object)]);
  return Object.fromEntries(all.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const passing = new Set(["resourceVersion", "uid", "creationTimestamp", "managedFields", "lastTransitionTime"]);

function lasting(object: KubeObject): unknown {
  return JSON.parse(JSON.stringify(object, (name, value: unknown) => (passing.has(name) ? undefined : value)));
}

async function createPool(client: Client, name: string): Promise<void> {
  const { apiVersion, kind } = machineConfigPoolKind;
  await client.create(machineConfigPoolKind, {
    apiVersion,
    kind,
    metadata: { name },
    spec: {
      nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: "" } },
      machineConfigSelector: { matchLabels: { [role]: name } },
    },
  });
}

async function createNode(client: Client, name: string, labels: Record<string, string>): Promise<void> {
  const metadata = { name, labels: { "kubernetes.io/os": "linux", ...labels } };
  await client.create(nodes, { apiVersion: "v1", kind: "Node", metadata });
}

async function createTuned(
  client: Client,
  name: string,
  text: string,
  rule: Omit<Recommend, "profile">,
): Promise<void> {
  const { apiVersion, kind } = tunedKind;
  const profile = [{ name, data: `[main]\ninclude=openshift-node\n${text}` }];
  const spec = { profile, recommend: [{ profile: name, ...rule }] };
  await client.create(tunedKind, { apiVersion, kind, metadata: { name, namespace }, spec }, { namespace });
}

async function manage(client: Client, managementState: string): Promise<void> {
  const patch = { spec: { managementState } };
  await client.patch(tunedKind, "default", { type: "merge", patch }, { namespace });
}
