import type { KubeObject } from "../../../language/object/meta.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { tuningNamespace } from "../../../domain/node-tuning/api.ts";
import type { Values } from "../option/flag.ts";
import type { sourceFlags } from "./flags.ts";
import { readOnlyClient } from "../../gather/read-only-client.ts";
import type { KnownCluster } from "./known-cluster.ts";
import { clusterToRead } from "../up/running-cluster.ts";
import { processTerminal } from "../terminal/terminal.ts";
import { readLiveCluster } from "./live-cluster.ts";
import { readMustGather } from "./must-gather.ts";
import { readSnapshotFile, type SnapshotFiles, snapshotFiles } from "./snapshots.ts";

/** Where nodes, pools and hardware are read from. */
export type SourceOptions = Partial<Values<typeof sourceFlags>> & {
  /** Where no source is named: read the cluster that commands use by default. */
  readonly live?: boolean | undefined;
};

/** Whether flags say where to read. */
export function namesSource({ mustGatherDirPath, kubeconfig, context, snapshot }: SourceOptions): boolean {
  return [mustGatherDirPath, kubeconfig, context, snapshot].some((one) => one !== undefined);
}

/** Reads a must-gather, a live cluster, or only snapshots; nodes of snapshots alone get `role`. */
export async function knownCluster(options: SourceOptions, role: string, signal: AbortSignal): Promise<KnownCluster> {
  const snapshots = await snapshotFiles(options.snapshot ?? []);
  const { mustGatherDirPath, kubeconfig, context, namespace = tuningNamespace } = options;
  if (mustGatherDirPath !== undefined && (kubeconfig !== undefined || context !== undefined))
    throw new Error("--must-gather-dir-path cannot be used together with --kubeconfig or --context");
  if (mustGatherDirPath !== undefined) return withSnapshots(await readMustGather(mustGatherDirPath), snapshots);
  const isLive = namesSource(options) ? (kubeconfig ?? context) !== undefined : options.live === true;
  if (!isLive) return onlySnapshots(snapshots, role);
  const client = new HttpClient(
    await clusterToRead({ kubeconfig, context }, { about: "nodes", note: processTerminal().err }),
  );
  try {
    return withSnapshots(await readLiveCluster(readOnlyClient(client), namespace, signal), snapshots);
  } finally {
    client.close();
  }
}

/** A snapshot that was passed wins over the hardware that the source has. */
function withSnapshots(known: KnownCluster, snapshots: SnapshotFiles): KnownCluster {
  const names = new Set(known.nodes.map(({ metadata }) => metadata.name));
  const unmatched = [...snapshots.keys()].filter((node) => !names.has(node));
  return {
    ...known,
    hardware: async (node) => {
      const file = snapshots.get(node);
      return file === undefined ? known.hardware(node) : readSnapshotFile(file);
    },
    warnings: [...known.warnings, ...unmatched.map((node) => `--snapshot ${node}: the cluster has no such node`)],
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
