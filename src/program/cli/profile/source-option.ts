import type { KubeObject } from "../../../language/object/meta.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { connectionOption } from "../option/connection-option.ts";
import { readOnlyClient } from "../gather/read-only-client.ts";
import type { KnownCluster } from "./known-cluster.ts";
import { askCluster } from "./live-cluster.ts";
import { readMustGather } from "./must-gather.ts";
import { readSnapshotFile, type SnapshotFiles, snapshotFiles } from "./snapshots.ts";

/** Where a cluster is looked at. */
export interface SourceOptions {
  readonly mustGatherDirPath?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly snapshot?: readonly string[];
}

/** Support data, a cluster that is asked, or nothing but snapshots of nodes that are to have a role. */
export async function knownCluster(options: SourceOptions, role: string, signal: AbortSignal): Promise<KnownCluster> {
  const snapshots = await snapshotFiles(options.snapshot ?? []);
  const { mustGatherDirPath, kubeconfig, context, namespace = tuningNamespace } = options;
  if (mustGatherDirPath !== undefined && (kubeconfig !== undefined || context !== undefined))
    throw new Error("--must-gather-dir-path and --kubeconfig or --context: only one of them can be looked at");
  if (mustGatherDirPath !== undefined) return withSnapshots(await readMustGather(mustGatherDirPath), snapshots);
  if (kubeconfig === undefined && context === undefined) return onlySnapshots(snapshots, role);
  const client = new HttpClient(await connectionOption({ kubeconfig, context }));
  try {
    return withSnapshots(await askCluster(readOnlyClient(client), namespace, signal), snapshots);
  } finally {
    client.close();
  }
}

/** Whoever gives a snapshot knows better than what was gathered. */
function withSnapshots(known: KnownCluster, snapshots: SnapshotFiles): KnownCluster {
  const names = new Set(known.nodes.map(({ metadata }) => metadata.name));
  const strange = [...snapshots.keys()].filter((node) => !names.has(node));
  return {
    ...known,
    hardware: async (node) => {
      const file = snapshots.get(node);
      return file === undefined ? known.hardware(node) : readSnapshotFile(file);
    },
    warnings: [...known.warnings, ...strange.map((node) => `--snapshot ${node}: the cluster has no such node`)],
  };
}

function onlySnapshots(snapshots: SnapshotFiles, role: string): KnownCluster {
  const node = (name: string): KubeObject => ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { [`node-role.kubernetes.io/${role}`]: "" } },
  });
  return {
    nodes: [...snapshots.keys()].map(node),
    hardware: async (name) => readSnapshotFile(snapshots.get(name) ?? ""),
    warnings: [],
  };
}
