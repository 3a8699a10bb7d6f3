import type { Client } from "../../cluster/kube/client.ts";
import { ifThere } from "../../cluster/kube/api-error.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import type { ScyllaState } from "../../domain/plan/scylla/scylla-side.ts";
import { scyllaNodeConfigKind, scyllaOperatorConfigKind } from "../../domain/scylla/api.ts";
import type { AgentDaemonSet } from "../../domain/scylla/config/agent-daemon-set.ts";
import { defaultName, nodeConfigLabel, tuningNamespace } from "../../domain/scylla/names.ts";
import { type ScyllaPod, scyllaPodSelector } from "../../domain/scylla/scylla-pod.ts";
import type { ClusterFeatures } from "../operator/cluster-features.ts";
import { defaultImage, version } from "../version.ts";

/** What tuning for Scylla depends on. Undefined where the cluster has no ScyllaNodeConfigs. */
export async function gatherScylla(
  client: Client,
  { scyllaNodeConfigs }: ClusterFeatures,
  signal: AbortSignal,
): Promise<ScyllaState | undefined> {
  if (!scyllaNodeConfigs) return undefined;
  const [configs, operatorConfig, daemonSets, namespace, pods] = await Promise.all([
    client.list(scyllaNodeConfigKind, { signal }),
    ifThere(client.get(scyllaOperatorConfigKind, defaultName, { signal })),
    client.list(kinds.daemonSet, { namespace: tuningNamespace, labelSelector: nodeConfigLabel, signal }),
    ifThere(client.get(kinds.namespace, tuningNamespace, { signal })),
    client.list(kinds.pod, { labelSelector: scyllaPodSelector, signal }),
  ]);
  // The operator gives agents its own image.
  const image = daemonSets.items[0]?.spec?.template.spec?.containers[0]?.image ?? defaultImage;
  return {
    configs: configs.items,
    operatorConfig,
    daemonSets: daemonSets.items as unknown as AgentDaemonSet[],
    namespace,
    pods: pods.items as unknown as ScyllaPod[],
    template: { image, version },
  };
}
