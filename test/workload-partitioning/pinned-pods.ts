import { expect } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { namespace, type PartitionedCluster, target } from "./partitioned-cluster.ts";

/** The CPUs of a pod of the platform, and those of an ordinary pod; empty: all. */
export type Pinned = readonly [platform: string, ordinary: string];

/** Two DaemonSets: their pods stay on their nodes, which a drain does not empty of them. */
export const daemonSets: readonly KubeObject[] = [
  daemonSet("platform", { [target]: '{"effect": "PreferredDuringScheduling"}' }),
  daemonSet("ordinary", {}),
];

function daemonSet(name: string, annotations: Record<string, string>): KubeObject {
  const labels = { app: name };
  const resources = { requests: { cpu: "100m", memory: "50Mi" } };
  const containers = [{ name: "main", image: "example.com/x:1", resources }];
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name, namespace },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels, annotations }, spec: { tolerations: [{ operator: "Exists" }], containers } },
    },
  };
}

/** Until the control groups of the pods on each node have these CPUs. */
export async function havePinned(cluster: PartitionedCluster, wanted: Readonly<Record<string, Pinned>>): Promise<void> {
  let found: Record<string, Pinned> = {};
  const isReached = async (): Promise<boolean> => {
    found = await pinned(cluster);
    return JSON.stringify(found) === JSON.stringify(wanted);
  };
  await cluster.until("containers are pinned", isReached).catch(() => expect(found).toEqual(wanted));
}

async function pinned(cluster: PartitionedCluster): Promise<Record<string, Pinned>> {
  const { items } = await cluster.admin.list(kinds.pod, { namespace });
  const of = async (node: string, app: string): Promise<string> => {
    const pod = items.find(({ metadata, spec }) => metadata.labels?.["app"] === app && spec?.nodeName === node);
    return (pod && (await cluster.group(pod))) ?? "none";
  };
  const found: Record<string, Pinned> = {};
  for (const node of cluster.machines.keys()) found[node] = [await of(node, "platform"), await of(node, "ordinary")];
  return found;
}
