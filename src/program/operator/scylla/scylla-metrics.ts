import type { Informer } from "../../../cluster/kube/cache.ts";
import type { Metrics } from "../../../cluster/runtime/metrics/metrics.ts";
import { isTrue } from "../../../language/object/condition.ts";
import { tuningOfNodes } from "../../../domain/scylla/config/node-jobs.ts";
import type { ScyllaCaches } from "../../../domain/scylla/config/scylla-config-controller.ts";
import { hasGate, type Pod } from "../../../domain/scylla/gate/gated-pod.ts";
import { type ConfigMap, readRelease, releases } from "../../../domain/scylla/gate/release.ts";
import { labelValue } from "../../../domain/scylla/label-value.ts";
import { databaseContainer, releaseName } from "../../../domain/scylla/names.ts";
import { configOfNode, isEnabled } from "../../../domain/scylla/placement.ts";
import { isTunable, type ScyllaPod } from "../../../domain/scylla/scylla-pod.ts";

interface Read extends Pick<ScyllaCaches, "configs" | "nodes" | "jobs" | "reports"> {
  readonly pods: Informer<ScyllaPod>;
  /** ConfigMaps that agents wrote. */
  readonly releases: Informer<ConfigMap>;
}

const conditions = ["Available", "Progressing", "Degraded", "Overlapping"];
const states = ["tuned", "running", "failed"] as const;

/** Counts of configs, nodes and databases, read when metrics are. The returned function stops that. */
export function scyllaMetrics(
  metrics: Metrics,
  { configs, nodes, jobs, reports, pods, releases: released }: Read,
): () => void {
  const byCondition = metrics.gauge("attune_scylla_node_configs", "ScyllaNodeConfigs of which a condition is true.", [
    "condition",
  ]);
  const byState = metrics.gauge(
    "attune_scylla_nodes",
    "Nodes that a ScyllaNodeConfig decides about, by the state of the newest tuning Job; failed also if none can be created.",
    ["state"],
  );
  const waiting = metrics.gauge(
    "attune_scylla_databases_waiting",
    "Databases whose container runs and waits until their node is tuned for it.",
  );
  const stop = metrics.onCollect(() => {
    const all = configs.list();
    for (const condition of conditions)
      byCondition.labels({ condition }).set(all.filter(({ status }) => isTrue(status?.conditions, condition)).length);
    const tuned = new Set(
      nodes.list().flatMap((node) => {
        const config = configOfNode(node, all);
        return config && isEnabled(config) ? [node.metadata.name ?? ""] : [];
      }),
    );
    const labels = new Set([...tuned].map(labelValue));
    const tuning = [...tuningOfNodes(jobs.list(), reports.list())].filter(([label]) => labels.has(label));
    for (const state of states) byState.labels({ state }).set(tuning.filter(([, one]) => one.state === state).length);
    waiting.labels().set(pods.list().filter((pod) => tuned.has(pod.spec?.nodeName ?? "") && isWaiting(pod)).length);
  });
  return () => {
    stop();
    for (const condition of conditions) byCondition.labels({ condition }).set(0);
    for (const state of states) byState.labels({ state }).set(0);
    waiting.labels().set(0);
  };

  function isWaiting(pod: ScyllaPod): boolean {
    const { namespace, uid = "" } = pod.metadata;
    const container = pod.status?.containerStatuses?.find(({ name }) => name === databaseContainer);
    if (!hasGate(pod as Pod) || !isTunable(pod) || !container?.state?.running) return false;
    const release = released.get(`${namespace}/${releaseName(uid)}`);
    return (
      !release || !releases(readRelease(release), { containerId: container.containerID, node: pod.spec?.nodeName })
    );
  }
}
