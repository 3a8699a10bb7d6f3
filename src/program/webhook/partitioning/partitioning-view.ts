import type { Client } from "../../../cluster/kube/client.ts";
import { type Clock, pause, systemClock } from "../../../cluster/runtime/clock.ts";
import { errorText } from "../../../cluster/runtime/error-text.ts";
import { partitioningStatus } from "../../../domain/workload-partitioning/identifier.ts";
import { allowedAnnotation, coresSuffix, mixedCpus } from "../../../domain/workload-partitioning/names.ts";
import type { NamespaceLookup, NodeCores, PartitioningView } from "../../../domain/workload-partitioning/view.ts";
import { at, isObject, text } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { NamespaceReader } from "./namespace-reader.ts";
import type { OptionalCache } from "../optional-cache.ts";

/** The caches that say whether and for which pods a cluster is partitioned. */
export interface PartitioningCaches {
  readonly nodes: OptionalCache<KubeObject & NodeCores>;
  readonly namespaces: OptionalCache;
  readonly infrastructures: OptionalCache;
  readonly configMaps: OptionalCache;
}

/** API servers wait 2 s: a review that comes before the caches have synced waits, and is refused in time. */
const syncMs = 1000;

/** What admission knows of the cluster at the moment of a review. */
export function partitioningView(
  client: Client,
  caches: PartitioningCaches,
  { awaited, clock = systemClock }: { readonly awaited: readonly OptionalCache[]; readonly clock?: Clock | undefined },
): (namespace: string) => Promise<PartitioningView> {
  const { nodes, namespaces, infrastructures, configMaps } = caches;
  const isReady = (): boolean => awaited.every(({ settled }) => settled);
  const reader = new NamespaceReader({ client, clock, cached: (name) => namespaces.get(name) });
  return async (namespace) => {
    if (!isReady()) await Promise.race([Promise.all(awaited.map((one) => one.whenSettled())), pause(clock, syncMs)]);
    return {
      ready: isReady(),
      identifier: partitioningStatus((infrastructures.objects ?? configMaps.objects)?.[0]),
      nodes: nodes.objects ?? [],
      // Stock kubelets of clusters without Infrastructures know nothing of partitioning.
      coresFrom: infrastructures.objects ? "kubelet" : "agent",
      namespace: await found(reader, namespace),
    };
  };
}

async function found(reader: NamespaceReader, name: string): Promise<NamespaceLookup> {
  if (name === "") return { type: "missing", name };
  try {
    const namespace = await reader.find(name);
    if (!namespace) return { type: "missing", name };
    return { type: "found", name, annotations: namespace.metadata.annotations ?? {} };
  } catch (error) {
    return { type: "failed", name, reason: errorText(error) };
  }
}

const none: Readonly<Record<string, string>> = {};

/** The entries of a node for workload resources. */
export function coresOfNode(node: KubeObject): NodeCores {
  const cores = (list: string): Readonly<Record<string, string>> => {
    const amounts = at(node, "status", list);
    const found = Object.entries(isObject(amounts) ? amounts : {}).filter(([name]) => name.includes(coresSuffix));
    return found.length === 0 ? none : Object.fromEntries(found.map(([name, amount]) => [name, text(amount)]));
  };
  return { name: node.metadata.name ?? "", capacity: cores("capacity"), allocatable: cores("allocatable") };
}

/** A namespace with the annotations that rules read: users may write large ones. */
export function projectNamespace({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const kept = [allowedAnnotation, mixedCpus.allowedAnnotation].flatMap((key) => {
    const value = metadata.annotations?.[key];
    return value === undefined ? [] : [[key, value]];
  });
  const annotations = kept.length > 0 ? { annotations: Object.fromEntries(kept) as Record<string, string> } : {};
  return { apiVersion, kind, metadata: { name: metadata.name, ...annotations } };
}
