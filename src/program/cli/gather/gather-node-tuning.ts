import { isNotFound } from "../../../cluster/kube/api-error.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { machineConfigKind, machineConfigPoolKind } from "../../../domain/machine-config/api.ts";
import { inputsAnnotation, type Profile, profileKind, type Tuned, tunedKind } from "../../../domain/node-tuning/api.ts";
import type { NodeTuningInput } from "../../../domain/node-tuning/decide.ts";
import type { Labels } from "../../../domain/node-tuning/match.ts";
import { projectNode, SharedTexts } from "../../../domain/node-tuning/projections.ts";
import { rulesOf } from "../../../domain/node-tuning/rule.ts";
import type { NodeFacts } from "../../../domain/node-tuning/node-profile.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { formatTime } from "../../../language/object/time.ts";
import { clusterFeatures } from "../../operator/cluster-features.ts";
import { version } from "../version.ts";

export interface Gathering {
  readonly client: Client;
  /** Of the Tuneds. */
  readonly namespace: string;
  readonly now: number;
  readonly signal: AbortSignal;
}

/** What the operator would decide by, and more of the objects than it keeps. */
export interface Gathered extends NodeTuningInput {
  readonly whole: { readonly nodes: readonly KubeObject[]; readonly profiles: readonly Profile[] };
}

/** What the operator would decide by, read once. What it makes of its own agents and status is nobody's question here. */
export async function gatherNodeTuning({ client, namespace, now, signal }: Gathering): Promise<Gathered> {
  const features = await clusterFeatures(client, signal);
  const texts = new SharedTexts();
  const [tuneds, nodes, profiles, pools, machineConfigs] = await Promise.all([
    listTuneds(client, namespace, signal),
    client.list(kinds.node, { signal }),
    client.list(profileKind, { namespace, signal }),
    features.machineConfigPools ? client.list(machineConfigPoolKind, { signal }) : undefined,
    features.machineConfigPools ? client.list(machineConfigKind, { signal }) : undefined,
  ]);
  const shipped = profiles.items.some(({ metadata }) => metadata.annotations?.[inputsAnnotation] !== undefined);
  return {
    tuneds,
    nodes: nodes.items.map((node) => projectNode(node as unknown as NodeFacts)),
    profiles: profiles.items.map(texts.project),
    ...(pools ? { pools: pools.items } : {}),
    ...(machineConfigs ? { machineConfigs: machineConfigs.items } : {}),
    status: { type: "ConfigMap", observed: undefined },
    agent: { namespace, image: "", serviceAccount: "", release: "" },
    protocol: shipped ? "shipped" : "documented",
    namespace,
    version,
    now: formatTime(now),
    whole: { nodes: nodes.items, profiles: profiles.items },
  };
}

/** Labels of the pods on each node, where any rule goes by them. `node`: of that one only. */
export async function gatherPods(
  client: Client,
  tuneds: readonly Tuned[],
  { node, signal }: { node?: string; signal: AbortSignal },
): Promise<((node: string) => readonly Labels[]) | undefined> {
  if (!rulesOf(tuneds).some((rule) => rule.usesPods)) return undefined;
  const selector = node === undefined ? {} : { fieldSelector: `spec.nodeName=${node}` };
  const { items } = await client.list(kinds.pod, { ...selector, signal });
  const onNodes = new Map<string, Labels[]>();
  for (const { metadata, spec } of items) {
    if (!spec?.nodeName) continue;
    const labels = onNodes.get(spec.nodeName) ?? [];
    labels.push(metadata.labels ?? {});
    onNodes.set(spec.nodeName, labels);
  }
  return (name) => onNodes.get(name) ?? [];
}

async function listTuneds(client: Client, namespace: string, signal: AbortSignal): Promise<Tuned[]> {
  try {
    return (await client.list(tunedKind, { namespace, signal })).items;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new Error("the cluster knows no Tuneds: attune is not installed there", { cause: error });
  }
}
