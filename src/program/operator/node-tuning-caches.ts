import type { Client } from "../../cluster/kube/client.ts";
import { createInformer } from "../../cluster/kube/informer/informer.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import { machineConfigKind, machineConfigPoolKind } from "../../domain/machine-config/api.ts";
import { agentDaemonSetName } from "../../domain/node-tuning/agent-daemon-set.ts";
import { isDerived } from "../../domain/performance-profile/names.ts";
import { isGenerated, type Profile, profileKind, tunedKind } from "../../domain/node-tuning/api.ts";
import { clusterOperatorKind, type NodeTuningCaches } from "../../domain/node-tuning/node-tuning-controller.ts";
import { clusterOperatorName } from "../../domain/node-tuning/status/operator-status.ts";
import { statusConfigMapName } from "../../domain/node-tuning/status/operator-status-object.ts";
import { projectNode, SharedTexts, withoutReports } from "../../domain/node-tuning/projections.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import type { Manager } from "../../cluster/runtime/controller/manager.ts";
import type { ClusterFeatures } from "./cluster-features.ts";

export interface CacheInput {
  readonly manager: Manager;
  readonly client: Client;
  /** Of Tuneds and Profiles. */
  readonly namespace: string;
  readonly features: ClusterFeatures;
  readonly clock: Clock;
}

/** The informers of node tuning, for the kinds that the cluster has. */
export function nodeTuningCaches({ manager, client, namespace, features, clock }: CacheInput): NodeTuningCaches {
  const named = (name: string): { namespace: string; fieldSelector: string } => ({
    namespace,
    fieldSelector: `metadata.name=${name}`,
  });
  const texts = new SharedTexts();
  const project = (profile: Profile): Profile => withoutReports(texts.project(profile));
  const all = { clock };
  const operator = { fieldSelector: `metadata.name=${clusterOperatorName}` };
  return {
    tuneds: manager.informer(tunedKind, { namespace }, () => createInformer(client, tunedKind, { namespace, clock })),
    profiles: manager.informer(profileKind, { namespace, view: "shared texts" }, () =>
      createInformer(client, profileKind, { namespace, project, clock }),
    ),
    nodes: manager.informer(kinds.node, { view: "facts" }, () =>
      createInformer(client, kinds.node, { project: projectNode, clock }),
    ),
    daemonSets: manager.informer(kinds.daemonSet, named(agentDaemonSetName), () =>
      createInformer(client, kinds.daemonSet, { ...named(agentDaemonSetName), clock }),
    ),
    ...(features.machineConfigPools
      ? {
          pools: manager.informer(machineConfigPoolKind, {}, () => createInformer(client, machineConfigPoolKind, all)),
          machineConfigs: manager.informer(machineConfigKind, { view: "arguments" }, () =>
            createInformer(client, machineConfigKind, { ...all, project: withoutContent }),
          ),
        }
      : {}),
    ...(features.clusterOperators
      ? {
          clusterOperators: manager.informer(clusterOperatorKind, operator, () =>
            createInformer(client, clusterOperatorKind, { ...operator, clock }),
          ),
        }
      : {
          configMaps: manager.informer<KubeObject>(kinds.configMap, named(statusConfigMapName), () =>
            createInformer<KubeObject>(client, kinds.configMap, { ...named(statusConfigMapName), clock }),
          ),
        }),
  };
}

/** MachineConfigs of others hold large files that are not needed. */
function withoutContent<T extends KubeObject & { spec?: { kernelArguments?: string[] | null; config?: unknown } }>(
  config: T,
): T {
  return isGenerated(config.metadata) || isDerived(config) ? config : { ...config, spec: {} };
}
