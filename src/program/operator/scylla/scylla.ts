import { setMaxListeners } from "node:events";
import type { Informer } from "../../../cluster/kube/cache.ts";
import type { Client, KindRef } from "../../../cluster/kube/client.ts";
import { createInformer, informerOfOne } from "../../../cluster/kube/informer/informer.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import type { Clock } from "../../../cluster/runtime/clock.ts";
import type { Runnable } from "../../../cluster/runtime/controller/runnable-group.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import { type Metrics, noMetrics } from "../../../cluster/runtime/metrics/metrics.ts";
import { scyllaNodeConfigKind, scyllaOperatorConfigKind } from "../../../domain/scylla/api.ts";
import type { AgentDaemonSet, AgentTemplate } from "../../../domain/scylla/config/agent-daemon-set.ts";
import { agentAccess } from "../../../domain/scylla/config/agent-access.ts";
import type { AgentPod } from "../../../domain/scylla/config/config-status.ts";
import { areDefaultsCreated } from "../../../domain/scylla/config/decide-defaults.ts";
import type { TuningJob } from "../../../domain/scylla/config/node-jobs.ts";
import {
  projectAgentPod,
  projectJob,
  projectPlacedNode,
  type ScyllaCaches,
  scyllaConfigController,
} from "../../../domain/scylla/config/scylla-config-controller.ts";
import { outdatedGateController } from "../../../domain/scylla/gate/outdated-gate-controller.ts";
import { type ConfigMap, projectRelease } from "../../../domain/scylla/gate/release.ts";
import { projectScyllaPod } from "../../../domain/scylla/gate/untuned-release.ts";
import { untunedReleaseController } from "../../../domain/scylla/gate/untuned-release-controller.ts";
import { nodeConfigLabel, tuningNamespace } from "../../../domain/scylla/names.ts";
import type { PlacedNode } from "../../../domain/scylla/placement.ts";
import { type ScyllaPod, scyllaPodSelector } from "../../../domain/scylla/scylla-pod.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import type { PlannedEvent } from "../../../language/object/plan.ts";
import { scyllaMetrics } from "./scylla-metrics.ts";

export interface ScyllaParts {
  readonly client: Client;
  /** Of the leader. */
  readonly writer: Client;
  readonly template: AgentTemplate;
  /** Of a new ScyllaOperatorConfig. */
  readonly utilsImage: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
  readonly recorder: { record(event: PlannedEvent): void };
}

/**
 * Scylla node tuning, with informers of its own: node tuning does not wait for them where a cluster has the kinds, and the operator
 * not the rights.
 */
export function scyllaNodeTuning(parts: ScyllaParts): Runnable {
  const { client, writer, clock, log, metrics = noMetrics, recorder } = parts;
  const { caches, pods, released, informers } = cachesOf(client, clock);
  const configs = scyllaConfigController({ ...parts, client: writer, caches, clock, log, metrics, recorder });
  const releases = untunedReleaseController({
    client: writer,
    pods,
    nodes: caches.nodes,
    configs: caches.configs,
    operatorConfigs: caches.operatorConfigs,
    isReady: areDefaultsCreated,
    clock,
    log,
    metrics,
  });
  const outdated = outdatedGateController({
    client: writer,
    pods,
    releases: released,
    nodes: caches.nodes,
    configs: caches.configs,
    operatorConfigs: caches.operatorConfigs,
    image: parts.template.image,
    recorder,
    clock,
    log,
    metrics,
  });
  return {
    name: "Scylla node tuning",
    async run(signal) {
      // Every informer listens: Node.js takes more than ten listeners for a leak.
      setMaxListeners(0, signal);
      const forget = scyllaMetrics(metrics, { ...caches, pods, releases: released });
      try {
        await Promise.all([...informers, configs, releases, outdated].map((part) => part.run(signal)));
      } finally {
        forget();
      }
    },
  };
}

interface Cached {
  readonly caches: ScyllaCaches;
  readonly pods: Informer<ScyllaPod>;
  /** What agents let start. */
  readonly released: Informer<ConfigMap>;
  readonly informers: readonly Informer[];
}

function cachesOf(client: Client, clock: Clock): Cached {
  const ours = { namespace: tuningNamespace, labelSelector: nodeConfigLabel, clock };
  const caches: ScyllaCaches = {
    configs: createInformer(client, scyllaNodeConfigKind, { clock }),
    operatorConfigs: createInformer(client, scyllaOperatorConfigKind, { clock }),
    nodes: createInformer<PlacedNode>(client, kinds.node, { clock, project: projectPlacedNode }),
    daemonSets: createInformer<AgentDaemonSet>(client, kinds.daemonSet, ours),
    agentPods: createInformer<AgentPod>(client, kinds.pod, { ...ours, project: projectAgentPod }),
    jobs: createInformer<TuningJob>(client, kinds.job, { ...ours, project: projectJob }),
    reports: createInformer<ConfigMap>(client, kinds.configMap, ours),
    namespace: informerOfOne<KubeObject>(client, kinds.namespace, { name: tuningNamespace, clock }),
    access: agentAccess().map(({ kind, metadata: { name = "", namespace } }) =>
      informerOfOne<KubeObject>(client, accessKind(kind), { name, namespace, clock }),
    ),
  };
  const pods = createInformer<ScyllaPod>(client, kinds.pod, {
    labelSelector: scyllaPodSelector,
    indexes: {
      node: ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []),
      namespace: ({ metadata }) => [metadata.namespace ?? ""],
    },
    clock,
    project: projectScyllaPod,
  });
  const released = createInformer<ConfigMap>(client, kinds.configMap, {
    labelSelector: nodeConfigLabel,
    clock,
    project: projectRelease,
  });
  const { access, ...others } = caches;
  return { caches, pods, released, informers: [...Object.values(others), ...access, pods, released] as Informer[] };
}

function accessKind(name: string): KindRef {
  const found = [kinds.serviceAccount, kinds.clusterRole, kinds.clusterRoleBinding, kinds.role, kinds.roleBinding].find(
    ({ kind }) => kind === name,
  );
  if (!found)
    throw new Error(`the access of Scylla agents has an object of kind ${name}, which the operator does not write`);
  return found;
}
