import { type MachineConfig, machineConfigKind, type MachineConfigPool } from "../machine-config/api.ts";
import { isSameSelection } from "../machine-config/pools.ts";
import type { Cache, CacheEvent, Informer } from "../../cluster/kube/cache.ts";
import type { Client, KindRef } from "../../cluster/kube/client.ts";
import { kinds, untyped } from "../../cluster/kube/kinds.ts";
import { keyOf, type KubeObject } from "../../language/object/meta.ts";
import type { PlannedEvent } from "../../language/object/plan.ts";
import { formatTime } from "../../language/object/time.ts";
import { act, type ActResult } from "../../cluster/runtime/act/act.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import { Controller, source, type Source } from "../../cluster/runtime/controller/controller.ts";
import type { Log } from "../../cluster/runtime/log/log.ts";
import type { Metrics } from "../../cluster/runtime/metrics/metrics.ts";
import { type AgentDaemonSet, agentDaemonSetName, type AgentOptions } from "./agent-daemon-set.ts";
import { fieldManager, isGenerated, type Profile, profileKind, type Protocol, type Tuned, tunedKind } from "./api.ts";
import { machineConfigName } from "./boot/machine-configs.ts";
import { decideNodeTuning, type NodeTuningInput, type NodeTuningPlan } from "./decide.ts";
import type { NodeFacts } from "./node-profile.ts";
import { type ClusterOperator, clusterOperatorName } from "./status/operator-status.ts";
import { statusConfigMapName, type StatusPlace } from "./status/operator-status-object.ts";
import { driftEvents } from "./status/transitions.ts";
import { PodLabels } from "./pod-labels-controller.ts";
import { nodeFactsOf, profileFactsOf } from "./projections.ts";
import { Remembered } from "./remembered.ts";
import { rulesOf } from "./rule.ts";

/** Kinds that the cluster does not have are left out. */
export interface NodeTuningCaches {
  readonly tuneds: Informer<Tuned>;
  readonly profiles: Informer<Profile>;
  readonly nodes: Informer<NodeFacts>;
  readonly daemonSets: Informer<AgentDaemonSet>;
  readonly pools?: Informer<MachineConfigPool>;
  readonly machineConfigs?: Informer<MachineConfig>;
  /** In clusters without ClusterOperators, the operator's status is in a ConfigMap. */
  readonly clusterOperators?: Informer<ClusterOperator>;
  readonly configMaps?: Informer;
}

export interface NodeTuningControllerOptions {
  client: Client;
  caches: NodeTuningCaches;
  namespace: string;
  agent: AgentOptions;
  protocol: Protocol;
  version: string;
  /** Who renders pools and rolls them out, for the status where no ClusterOperator is. */
  machineConfiguration?: string | undefined;
  /** Of the process: ends the watch of pods. */
  signal: AbortSignal;
  clock: Clock;
  log?: Log;
  metrics?: Metrics | undefined;
  recorder?: { record(event: PlannedEvent): void };
  /** Default: Tuneds are objects of the cluster, and their rules are for all nodes. */
  origin?: TuningOrigin | undefined;
  /** Called with every decision before it is carried out. */
  decided?: (plan: NodeTuningPlan) => void;
}

/** Where Tuneds, and what nodes they are for, come from. */
export interface TuningOrigin {
  /** Of changes there: each adds the key. */
  sources(key: string): readonly Source<string>[];
  read(found: Pick<NodeTuningInput, "tuneds" | "nodes">): Pick<NodeTuningInput, "tuneds" | "nodes" | "mirrored">;
}

export const clusterOperatorKind: KindRef<ClusterOperator> = untyped(
  "config.openshift.io/v1",
  "ClusterOperator",
  "clusteroperators",
  false,
);

/** One key for the whole cluster: rules depend on one another, and a burst of events costs one decision. */
const everything = "cluster";

export function nodeTuningController(options: NodeTuningControllerOptions): Controller {
  const { client, caches, namespace, clock, recorder } = options;
  const { tuneds, profiles, nodes, daemonSets, pools, machineConfigs, clusterOperators, configMaps } = caches;
  const written = new Map<string, { kind: KindRef; cache: Cache }>([
    [tunedKind.kind, { kind: tunedKind, cache: tuneds }],
    [profileKind.kind, { kind: profileKind, cache: profiles }],
    ["Node", { kind: kinds.node, cache: nodes }],
    ["DaemonSet", { kind: kinds.daemonSet, cache: daemonSets }],
    ...(machineConfigs ? [["MachineConfig", { kind: machineConfigKind, cache: machineConfigs }] as const] : []),
    ...(clusterOperators ? [["ClusterOperator", { kind: clusterOperatorKind, cache: clusterOperators }] as const] : []),
    ...(configMaps ? [["ConfigMap", { kind: kinds.configMap, cache: configMaps }] as const] : []),
  ]);
  const known = (kind: string): { kind: KindRef; cache: Cache } => {
    const found = written.get(kind);
    if (!found) throw new TypeError(`node tuning plans no ${kind}`);
    return found;
  };
  const pods = new PodLabels({
    client,
    clock,
    signal: options.signal,
    changed: () => controller.queue.add(everything),
  });

  const remembered = new Remembered();
  const controller: Controller = new Controller({
    name: "node-tuning",
    clock,
    // The whole cluster is one key: after an outage of the API server, no node should wait for a quarter of an hour.
    queue: { backoff: { maxMs: 30_000 } },
    log: options.log,
    metrics: options.metrics,
    sources: [
      source(tuneds, () => [everything]),
      source(profiles, unlessSame(profileFactsOf)),
      source(profiles, (event) => {
        if (event.type === "updated")
          for (const drift of driftEvents(event.before, event.object)) recorder?.record(drift);
        return [];
      }),
      source(nodes, unlessSame(nodeFactsOf)),
      source(daemonSets, () => [everything]),
      ...(pools
        ? [source(pools, (event) => unless(event.type === "updated" && isSameSelection(event.before, event.object)))]
        : []),
      ...(machineConfigs ? [source(machineConfigs, (event) => unless(!isOurs(event)))] : []),
      ...[clusterOperators, configMaps].flatMap((informer): Source<string>[] =>
        informer ? [source(informer, () => [everything])] : [],
      ),
      ...(options.origin?.sources(everything) ?? []),
    ],
    async reconcile(_key, { signal, log }): Promise<ActResult | undefined> {
      const found = { tuneds: tuneds.list(), nodes: nodes.list() };
      const read = options.origin?.read(found) ?? found;
      if (rulesOf(read.tuneds).some((rule) => rule.usesPods)) {
        // Without labels of pods, nodes would lose their profiles for a moment.
        if (!pods.ready()) return undefined;
      } else pods.stop();
      const plan = decideNodeTuning({
        ...read,
        profiles: profiles.list(),
        podsOn: (node) => pods.on(node),
        pools: pools?.list(),
        machineConfigs: machineConfigs?.list(),
        daemonSet: daemonSets.get(`${namespace}/${agentDaemonSetName}`),
        status: statusPlace(caches, namespace, options.machineConfiguration),
        agent: options.agent,
        protocol: options.protocol,
        namespace,
        version: options.version,
        now: formatTime(clock.now()),
        remembered,
      });
      options.decided?.(plan);
      return act(plan, {
        client,
        kinds: (_apiVersion, kind) => known(kind).kind,
        observed: (reference): KubeObject | undefined => known(reference.kind).cache.get(keyOf(reference)),
        fieldManager,
        recorder,
        signal,
        log,
      });
    },
  });
  // An empty cluster has no events, and needs a default Tuned too.
  controller.queue.add(everything);
  return controller;
}

export function statusPlace(
  { clusterOperators, configMaps }: NodeTuningCaches,
  namespace: string,
  machineConfiguration?: string,
): StatusPlace {
  if (clusterOperators) return { type: "ClusterOperator", observed: clusterOperators.get(clusterOperatorName) };
  const observed = configMaps?.get(`${namespace}/${statusConfigMapName}`);
  return { type: "ConfigMap", observed, machineConfiguration };
}

/** Only MachineConfigs with boot arguments count: rollouts write hundreds of others. */
function isOurs(event: CacheEvent<MachineConfig>): boolean {
  const versions = event.type === "updated" ? [event.before, event.object] : [event.object];
  return versions.some(({ metadata }) => isGenerated(metadata) || metadata.name?.startsWith(machineConfigName("")));
}

function unless(isIrrelevant: boolean): string[] {
  return isIrrelevant ? [] : [everything];
}

function unlessSame<T>(factsOf: (object: T) => string): (event: CacheEvent<T>) => string[] {
  return (event) => (event.type === "updated" && factsOf(event.before) === factsOf(event.object) ? [] : [everything]);
}
