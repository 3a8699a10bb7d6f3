import type { ScyllaConfigRow, ScyllaRow } from "../../../../console/protocol/workloads.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { defaultEngine, type ScyllaNodeConfig, scyllaNodeConfigKind } from "../../../domain/scylla/api.ts";
import { type ConfigMap, projectRelease } from "../../../domain/scylla/gate/release.ts";
import { projectScyllaPod } from "../../../domain/scylla/gate/untuned-release.ts";
import {
  databaseContainer,
  failureAnnotation,
  nodeLabel,
  releaseName,
  tuningNamespace,
} from "../../../domain/scylla/names.ts";
import type { TuningJob } from "../../../domain/scylla/on-node/job-progress.ts";
import { recordAnnotation } from "../../../domain/scylla/on-node/tuning.ts";
import { isEnabled, type PlacedNode } from "../../../domain/scylla/placement.ts";
import { type ScyllaPod, scyllaPodSelector } from "../../../domain/scylla/scylla-pod.ts";
import { scyllaNodes } from "../../../domain/scylla/view/scylla-node.ts";
import { printable } from "../../../domain/rollout/node-annotations.ts";
import type { CacheDefinition } from "../user-caches.ts";
import type { TopicContext } from "./topic-context.ts";

const configCache: CacheDefinition<ScyllaNodeConfig> = { kind: scyllaNodeConfigKind };
const jobCache: CacheDefinition<TuningJob> = {
  kind: kinds.job,
  namespace: tuningNamespace,
  labelSelector: nodeLabel,
  project: ({ apiVersion, kind, metadata, status }) => {
    const { name, namespace, uid, labels, creationTimestamp, annotations = {} } = metadata;
    const kept = Object.entries(annotations).filter(([key]) => key === recordAnnotation || key === failureAnnotation);
    const own = { name, namespace, uid, labels, creationTimestamp, annotations: Object.fromEntries(kept) };
    return {
      apiVersion,
      kind,
      metadata: own,
      ...(status?.conditions ? { status: { conditions: status.conditions } } : {}),
    };
  },
};
const podCache: CacheDefinition<ScyllaPod> = {
  kind: kinds.pod,
  labelSelector: scyllaPodSelector,
  project: (pod) => {
    const kept = projectScyllaPod(pod);
    const status = pod.status?.containerStatuses?.find(({ name }) => name === databaseContainer);
    const database = kept?.status?.containerStatuses?.find(({ name }) => name === databaseContainer);
    // Since when it waits.
    if (database?.state && status?.state) database.state = status.state;
    return kept;
  },
};
const releaseCache: CacheDefinition<ConfigMap> = {
  kind: kinds.configMap,
  project: (configMap) =>
    configMap.metadata.name?.startsWith(releaseName("")) ? projectRelease(configMap) : undefined,
};

const nodeCache: CacheDefinition<PlacedNode> = {
  kind: kinds.node,
  project: ({ apiVersion, kind, metadata: { name, uid, labels }, spec }) => ({
    apiVersion,
    kind,
    metadata: { name, uid, ...(labels ? { labels } : {}) },
    ...(spec?.taints ? { spec: { taints: spec.taints } } : {}),
  }),
};

/** Nodes of databases, their Jobs, and which databases wait. */
export function openScylla(context: TopicContext<"scylla">): void {
  const configs = context.cache(configCache);
  const jobs = context.cache(jobCache);
  const pods = context.cache(podCache);
  const releases = context.cache(releaseCache);
  const nodes = context.cache(nodeCache);
  context.follow([configs, jobs, pods, releases, nodes], () => {
    const found = scyllaNodes({
      nodes: nodes.list(),
      configs: configs.list(),
      jobs: jobs.list(),
      pods: pods.list(),
      release: (key) => releases.get(key),
    });
    context.replace(
      new Map<string, ScyllaRow>([
        ...configs
          .list()
          .map((config): [string, ScyllaRow] => [`config/${config.metadata.name}`, { config: configRow(config) }]),
        ...found.map((node): [string, ScyllaRow] => [`node/${node.node}`, { node }]),
      ]),
    );
  });
}

/** What a condition should be. */
const good: Readonly<Record<string, string>> = {
  Available: "True",
  Progressing: "False",
  Degraded: "False",
  Overlapping: "False",
};

function configRow(config: ScyllaNodeConfig): ScyllaConfigRow {
  const { spec, status } = config;
  return {
    engine: spec?.engine ?? defaultEngine,
    isDisabled: !isEnabled(config),
    agents: status?.current ?? { desired: 0, actual: 0, ready: 0 },
    isStale: status?.stale === true,
    problems: (status?.conditions ?? []).flatMap(({ type, status: is, message, reason }) =>
      Object.hasOwn(good, type) && good[type] !== is ? [{ type, message: printable(message || reason, 2000) }] : [],
    ),
  };
}
