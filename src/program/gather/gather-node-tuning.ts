import type { Labels } from "../../domain/machine-config/pools.ts";
import { isNotFound } from "../../cluster/kube/api-error.ts";
import type { Client } from "../../cluster/kube/client.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import { machineConfigKind, machineConfigPoolKind } from "../../domain/machine-config/api.ts";
import { inputsAnnotation, type Profile, profileKind, type Tuned, tunedKind } from "../../domain/node-tuning/api.ts";
import type { NodeTuningInput } from "../../domain/node-tuning/decide.ts";
import { projectNode, SharedTexts } from "../../domain/node-tuning/projections.ts";
import { hostedScopes } from "../../domain/hosted/pool-rules.ts";
import { nodePoolKind } from "../../domain/node-pool/api.ts";
import { Discovery } from "../../cluster/kube/discovery.ts";
import { rulesOf } from "../../domain/node-tuning/rule.ts";
import type { NodeFacts } from "../../domain/node-tuning/node-profile.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { formatTime } from "../../language/object/time.ts";
import { type ClusterFeatures, clusterFeatures } from "../operator/cluster-features.ts";
import { version } from "../version.ts";

export interface Gathering {
  readonly client: Client;
  /** Of the Tuneds. */
  readonly namespace: string;
  readonly now: number;
  readonly signal: AbortSignal;
}

export interface GatheredTuning {
  /** What the operator decides by, without its DaemonSet and its own status. */
  readonly tuning: NodeTuningInput;
  /** Whole, where the operator keeps a projection. */
  readonly nodes: readonly KubeObject[];
  readonly profiles: readonly Profile[];
  readonly features: ClusterFeatures;
}

/** Reads what the operator would decide by, once. */
export async function gatherNodeTuning({ client, namespace, now, signal }: Gathering): Promise<GatheredTuning> {
  const features = await clusterFeatures(client, signal);
  const texts = new SharedTexts();
  // First: where the cluster has no such kind, it says why, and the others only that something is missing.
  const tuneds = await listTuneds(client, namespace, signal);
  const [nodes, profiles, pools, machineConfigs] = await Promise.all([
    client.list(kinds.node, { signal }),
    client.list(profileKind, { namespace, signal }),
    features.machineConfigPools ? client.list(machineConfigPoolKind, { signal }) : undefined,
    features.machineConfigPools ? client.list(machineConfigKind, { signal }) : undefined,
  ]);
  return {
    tuning: tuningOf({
      tuneds,
      nodes: nodes.items.map((node) => projectNode(node as unknown as NodeFacts)),
      profiles: profiles.items.map(texts.project),
      pools: pools?.items,
      machineConfigs: machineConfigs?.items,
      namespace,
      now,
    }),
    nodes: nodes.items,
    profiles: profiles.items,
    features,
  };
}

export interface TuningObjects
  extends
    Pick<Gathering, "namespace" | "now">,
    Pick<NodeTuningInput, "tuneds" | "nodes" | "profiles" | "pools" | "machineConfigs" | "podsOn"> {}

/** What the operator decides by, of objects that were read: without its DaemonSet and its own status. */
export function tuningOf({ namespace, now, ...objects }: TuningObjects): NodeTuningInput {
  const shipped = objects.profiles.some(({ metadata }) => metadata.annotations?.[inputsAnnotation] !== undefined);
  const scopes = hostedScopes(objects.tuneds, objects.nodes);
  return {
    ...objects,
    ...(scopes ? { mirrored: { scopes, writes: { objects: [], prunes: [] } } } : {}),
    status: { type: "ConfigMap", observed: undefined },
    agent: { namespace, image: "", serviceAccount: "", release: "" },
    protocol: shipped ? "shipped" : "documented",
    namespace,
    version,
    now: formatTime(now),
  };
}

/** Labels of the pods on each node, if any rule matches labels of pods. `node`: only of the pods on this node. */
export async function gatherPods(
  client: Client,
  tuneds: readonly Tuned[],
  { node, signal }: { node?: string | undefined; signal: AbortSignal },
): Promise<((node: string) => readonly Labels[]) | undefined> {
  if (!rulesOf(tuneds).some((rule) => rule.usesPods)) return undefined;
  const fieldSelector = node === undefined ? undefined : `spec.nodeName=${node}`;
  const { items } = await client.list(kinds.pod, { fieldSelector, signal });
  const onNodes = new Map<string, Labels[]>();
  for (const { metadata, spec } of items) {
    if (!spec?.nodeName) continue;
    const labels = onNodes.get(spec.nodeName) ?? [];
    labels.push(metadata.labels ?? {});
    onNodes.set(spec.nodeName, labels);
  }
  return (name) => onNodes.get(name) ?? [];
}

const notInstalled = "the cluster has no such kind; install Attune first: attune install --apply";
const managesOthers =
  "this cluster has none: it manages hosted clusters, which have the nodes and their Tuneds; " +
  "name one of them with --context or --kubeconfig";

/** The cluster has no such kind. */
export class NoTuneds extends Error {}

async function listTuneds(client: Client, namespace: string, signal: AbortSignal): Promise<Tuned[]> {
  try {
    return (await client.list(tunedKind, { namespace, signal })).items;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const isManagement = await new Discovery(client).kind(nodePoolKind.apiVersion, nodePoolKind.kind, { signal });
    throw new NoTuneds(`list Tuneds: ${isManagement ? managesOthers : notInstalled}`, { cause: error });
  }
}
