import { ifThere, isAlreadyExists } from "../../../cluster/kube/api-error.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { pause, systemClock } from "../../../cluster/runtime/clock.ts";
import {
  infrastructureKind,
  type PartitioningMode,
  partitioningStatus,
} from "../../../domain/workload-partitioning/identifier.ts";
import {
  infrastructureOf,
  type InstalledStatus,
  topologiesOf,
} from "../../../domain/workload-partitioning/install-config.ts";
import { isOurs } from "../../../language/object/custom-definition.ts";
import { definitionName, type KubeObject } from "../../../language/object/meta.ts";

/** As if several control plane nodes were known: a cluster of one is found by its nodes. */
export function statusOf(mode: PartitioningMode, nodes: readonly KubeObject[] = []): InstalledStatus {
  const has = (role: string): number =>
    nodes.filter(({ metadata }) => metadata.labels?.[`node-role.kubernetes.io/${role}`] !== undefined).length;
  const controlPlane = has("control-plane") || has("master") || 3;
  const arbiters = has("arbiter");
  const workers = nodes.length === 0 ? 0 : Math.max(0, nodes.length - controlPlane - arbiters);
  return { cpuPartitioning: mode, ...topologiesOf({ controlPlane, workers, arbiters }) };
}

/** What a cluster is installed with. */
export interface Decided {
  readonly status: InstalledStatus;
  /** Whether an Infrastructure says it, of a CRD of ours; elsewhere a ConfigMap does. */
  readonly hasInfrastructure: boolean;
}

/** With the topologies of the cluster, by its nodes. OpenShift decides about partitioning in its own installer. */
export async function readStatus(
  client: Client,
  partitioning: PartitioningMode,
  { mode, signal }: { readonly mode: string; readonly signal: AbortSignal },
): Promise<Decided> {
  const definition = await ifThere(
    client.get(kinds.customResourceDefinition, definitionName(infrastructureKind), { signal }),
  );
  if (definition && mode !== "plain" && !isOurs(definition.metadata))
    throw new Error(
      "--partitioning: the Infrastructure of this cluster belongs to OpenShift: set cpuPartitioningMode in install-config.yaml when a cluster is installed",
    );
  const { items } = await client.list(kinds.node, { signal });
  const hasInfrastructure = mode === "standalone" || (mode !== "plain" && definition !== undefined);
  return { status: statusOf(partitioning, items), hasInfrastructure };
}

/** Writes what the cluster is installed with, unless its Infrastructure says the same already. */
export async function writeInfrastructure(client: Client, status: InstalledStatus, signal: AbortSignal): Promise<void> {
  const wanted = infrastructureOf(status);
  const found = await served(() => ifThere(client.list(infrastructureKind, { signal })), signal);
  const existing = found.items.find(({ metadata }) => metadata.name === "cluster");
  if (existing && partitioningStatus(existing).state === "known") {
    if (partitioningStatus(existing).mode === status.cpuPartitioning) return;
    throw new Error(
      `--partitioning ${status.cpuPartitioning}: this cluster was installed with ${partitioningStatus(existing).mode}, which cannot be changed: install a new cluster`,
    );
  }
  try {
    if (!existing) await client.create(infrastructureKind, wanted, { signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const patch = { type: "merge", patch: { status: wanted["status"] } } as const;
  await client.patch(infrastructureKind, "cluster", patch, { subresource: "status", signal });
}

/** kube-apiserver serves a kind some time after it accepted the definition. */
async function served<T>(ask: () => Promise<T | undefined>, signal: AbortSignal): Promise<T> {
  for (let left = 100; left > 0; left--) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await pause(systemClock, 100, signal);
  }
  throw new Error("the cluster does not serve Infrastructures, although their CRD was applied: try again");
}
