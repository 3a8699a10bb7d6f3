import type { CacheEvent, Informer } from "../../../cluster/kube/cache.ts";
import type { Client, KindRef } from "../../../cluster/kube/client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { act, type ActDependencies } from "../../../cluster/runtime/act/act.ts";
import type { Clock } from "../../../cluster/runtime/clock.ts";
import { Controller, source } from "../../../cluster/runtime/controller/controller.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import type { Metrics } from "../../../cluster/runtime/metrics/metrics.ts";
import { equal } from "../../../language/object/json.ts";
import { keyOf, type KubeObject } from "../../../language/object/meta.ts";
import type { ObjectReference, PlannedEvent } from "../../../language/object/plan.ts";
import { formatTime } from "../../../language/object/time.ts";
import {
  type ScyllaNodeConfig,
  scyllaNodeConfigKind,
  type ScyllaOperatorConfig,
  scyllaOperatorConfigKind,
} from "../api.ts";
import type { PlacedNode } from "../placement.ts";
import type { AgentDaemonSet, AgentTemplate } from "./agent-daemon-set.ts";
import type { AgentPod } from "./config-status.ts";
import { decideConfigs, fieldManager, type ScyllaState } from "./decide-configs.ts";
import { decideDefaults } from "./decide-defaults.ts";
import type { ConfigMap } from "../gate/release.ts";
import type { TuningJob } from "./node-jobs.ts";

export interface ScyllaCaches {
  readonly configs: Informer<ScyllaNodeConfig>;
  readonly operatorConfigs: Informer<ScyllaOperatorConfig>;
  /** As `projectPlacedNode` keeps them. */
  readonly nodes: Informer<PlacedNode>;
  /** Of the namespace of tuning, with the label of a config: */
  readonly daemonSets: Informer<AgentDaemonSet>;
  readonly agentPods: Informer<AgentPod>;
  readonly jobs: Informer<TuningJob>;
  readonly reports: Informer<ConfigMap>;
  readonly namespace: Informer;
  /** One for each object of the agents' access. */
  readonly access: readonly Informer[];
}

export interface ScyllaConfigOptions {
  readonly client: Client;
  readonly caches: ScyllaCaches;
  readonly template: AgentTemplate;
  /** Of a new ScyllaOperatorConfig. */
  readonly utilsImage: string;
  readonly clock: Clock;
  readonly log?: Log | undefined;
  readonly metrics?: Metrics | undefined;
  readonly recorder?: { record(event: PlannedEvent): void } | undefined;
}

const plannedKinds: ReadonlyMap<string, KindRef> = new Map(
  [
    scyllaNodeConfigKind,
    scyllaOperatorConfigKind,
    kinds.namespace,
    kinds.serviceAccount,
    kinds.clusterRole,
    kinds.clusterRoleBinding,
    kinds.role,
    kinds.roleBinding,
    kinds.daemonSet,
    kinds.job,
    kinds.configMap,
  ].map((kind: KindRef) => [kind.kind, kind]),
);

/** Creates the default objects, runs the agents of all ScyllaNodeConfigs, and reports their state. All of it is one decision. */
export function scyllaConfigController(options: ScyllaConfigOptions): Controller {
  const { client, caches, template, utilsImage, clock, recorder } = options;
  const all = (): string[] => ["all"];
  const others = [
    caches.configs,
    caches.operatorConfigs,
    caches.daemonSets,
    caches.jobs,
    caches.reports,
    caches.namespace,
  ];
  return new Controller({
    name: "scylla-node-configs",
    clock,
    log: options.log,
    metrics: options.metrics,
    sources: [
      ...[...others, ...caches.access].map((informer) => source(informer, all)),
      source(caches.agentPods, (event) => (isSame(event) ? [] : all())),
      source(caches.nodes, (event) => (isSame(event) ? [] : all())),
    ],
    async reconcile(_, { signal, log }) {
      const state = stateOf(caches);
      const dependencies: ActDependencies = {
        client,
        kinds: (_version, kind) => known(kind),
        observed: (reference) => observed(caches, reference),
        fieldManager,
        recorder,
        signal,
        log,
      };
      // Both are decided from the same caches, before anything is written.
      const plans = [
        decideDefaults({ ...state, utilsImage }),
        decideConfigs({ ...state, template, now: formatTime(clock.now()) }),
      ];
      const [defaults, configs] = plans.map((plan) => act(plan, dependencies));
      const results = await Promise.all([defaults, configs]);
      return results.find((result) => result?.requeue) ?? results[0];
    },
  });
}

function stateOf({ access, ...caches }: ScyllaCaches): ScyllaState {
  return {
    configs: caches.configs.list(),
    operatorConfig: caches.operatorConfigs.list()[0],
    nodes: caches.nodes.list(),
    daemonSets: caches.daemonSets.list(),
    agentPods: caches.agentPods.list(),
    jobs: caches.jobs.list(),
    reports: caches.reports.list(),
    namespace: caches.namespace.list()[0],
    access: access.flatMap((informer) => informer.list()),
  };
}

function known(kind: string): KindRef {
  const ref = plannedKinds.get(kind);
  if (!ref) throw new Error(`plan contains kind ${kind}, which Scylla node tuning does not write`);
  return ref;
}

function observed(caches: ScyllaCaches, { kind, metadata }: ObjectReference): KubeObject | undefined {
  const key = keyOf({ metadata });
  switch (kind) {
    case "ScyllaNodeConfig":
      return caches.configs.get(key);
    case "ScyllaOperatorConfig":
      return caches.operatorConfigs.get(key);
    case "Namespace":
      return caches.namespace.get(key);
    case "DaemonSet":
      return caches.daemonSets.get(key);
    case "Job":
      return caches.jobs.get(key);
    case "ConfigMap":
      return caches.reports.get(key);
    default:
      return caches.access
        .flatMap((informer) => informer.list())
        .find((one) => one.kind === kind && keyOf(one) === key);
  }
}

/** Whether an update changed nothing that is kept. */
export function isSame<T extends KubeObject>(event: CacheEvent<T>): boolean {
  if (event.type !== "updated") return false;
  const { metadata: before, ...rest } = event.before;
  const { metadata: after, ...others } = event.object;
  const { resourceVersion: _before, ...kept } = before;
  const { resourceVersion: _after, ...now } = after;
  return equal(kept, now) && equal(rest, others);
}

/** What decides about a node: its labels and taints. */
export function projectPlacedNode({ apiVersion, kind, metadata, spec }: PlacedNode): PlacedNode {
  const { name, uid, resourceVersion, labels } = metadata;
  return {
    apiVersion,
    kind,
    metadata: { name, uid, resourceVersion, ...(labels ? { labels } : {}) },
    spec: spec?.taints?.length ? { taints: spec.taints } : {},
  };
}

/** Thousands of agents run, and only their node and whether they are ready is read. */
export function projectAgentPod({ apiVersion, kind, metadata, spec, status }: AgentPod): AgentPod {
  const { name, namespace, uid, resourceVersion, labels } = metadata;
  const ready = (status?.conditions ?? []).filter(({ type }) => type === "Ready");
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, uid, resourceVersion, ...(labels ? { labels } : {}) },
    spec: spec?.nodeName ? { nodeName: spec.nodeName } : {},
    status: { conditions: ready.map(({ type, status: state }) => ({ type, status: state })) },
  };
}

/** Without the template: thousands of nodes have one each. */
export function projectJob({ apiVersion, kind, metadata, status }: TuningJob): TuningJob {
  const { name, namespace, uid, resourceVersion, labels, annotations, creationTimestamp, deletionTimestamp } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace,
      uid,
      resourceVersion,
      creationTimestamp,
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      ...(deletionTimestamp ? { deletionTimestamp } : {}),
    },
    status: {
      conditions: (status?.conditions ?? []).map(({ type, status: state, message = "" }) => ({
        type,
        status: state,
        message,
      })),
    },
  };
}
