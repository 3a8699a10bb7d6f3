import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Client } from "../kube/client.ts";
import { createInformer } from "../kube/informer.ts";
import { kinds } from "../kube/kinds.ts";
import { machineConfigKind, machineConfigPoolKind } from "../machine-config/api.ts";
import { agentDaemonSetName } from "../node-tuning/agent-daemon-set.ts";
import { generatedAnnotation, profileKind, type Protocol, tunedKind, tuningNamespace } from "../node-tuning/api.ts";
import {
  clusterOperatorKind,
  type NodeTuningCaches,
  nodeTuningController,
} from "../node-tuning/node-tuning-controller.ts";
import { clusterOperatorName } from "../node-tuning/operator-status.ts";
import { statusConfigMapName } from "../node-tuning/operator-status-object.ts";
import { projectNode, SharedTexts } from "../node-tuning/projections.ts";
import type { KubeObject } from "../object/meta.ts";
import { type Clock, systemClock } from "../runtime/clock.ts";
import { EventRecorder } from "../runtime/event-recorder.ts";
import { LeaderElection } from "../runtime/leader-election.ts";
import { leadersOnly } from "../runtime/leader-gate.ts";
import { leaseStore } from "../runtime/lease.ts";
import { type Log, noLog } from "../runtime/log.ts";
import { Manager } from "../runtime/manager.ts";
import type { Exposition, Metrics } from "../runtime/metrics.ts";
import { type ClusterFeatures, clusterFeatures, describeFeatures } from "./cluster-features.ts";
import { otherOperator } from "./other-operator.ts";
import { operatorLease } from "./rbac.ts";

export interface OperatorOptions {
  client: Client;
  signal: AbortSignal;
  /** Where Tuneds and Profiles are. Default: where existing manifests put them. */
  namespace?: string;
  /** Of the agents, and the account they run under, in the namespace of the Profiles. */
  image: string;
  agentServiceAccount: string;
  version: string;
  /** Of the payload, part of what the shipped protocol compares. Default: none. */
  release?: string;
  /** Default documented. */
  protocol?: Protocol;
  /** Default: what the cluster has. */
  features?: ClusterFeatures;
  /** Several operators may run, one acts. Default true. */
  leaderElection?: boolean;
  /** `host:port` of `/metrics`, `/healthz` and `/readyz`. Default: nowhere. */
  probeAddress?: string;
  clock?: Clock;
  log?: Log;
  metrics?: Metrics & Exposition;
}

/** The operator on a standalone cluster, until the signal aborts. */
export async function runOperator(options: OperatorOptions): Promise<void> {
  const { client, signal, namespace = tuningNamespace, clock = systemClock, log = noLog, metrics } = options;
  const features = options.features ?? (await clusterFeatures(client, signal));
  log.info({ ...features }, describeFeatures(features));
  const election = options.leaderElection === false ? undefined : newElection(options, namespace, clock, log);
  const writer = election ? leadersOnly(client, election.gate) : client;
  const manager = new Manager({ election, probeAddress: options.probeAddress, metrics, clock, log });
  const recorder = new EventRecorder({ client: writer, component: "attune-operator", clock, log });
  manager.add(recorder);
  const { release = "", image, version, protocol = "documented" } = options;
  manager.add(
    nodeTuningController({
      client: writer,
      caches: nodeTuningCaches(manager, client, namespace, features, clock),
      namespace,
      agent: { namespace, image, serviceAccount: options.agentServiceAccount, release },
      protocol,
      version,
      signal,
      clock,
      log,
      metrics,
      recorder,
    }),
  );
  await manager.run(signal);
}

function nodeTuningCaches(
  manager: Manager,
  client: Client,
  namespace: string,
  features: ClusterFeatures,
  clock: Clock,
): NodeTuningCaches {
  const named = (name: string): { namespace: string; fieldSelector: string } => ({
    namespace,
    fieldSelector: `metadata.name=${name}`,
  });
  const texts = new SharedTexts();
  const all = { clock };
  const operator = { fieldSelector: `metadata.name=${clusterOperatorName}` };
  return {
    tuneds: manager.informer(tunedKind, { namespace }, () => createInformer(client, tunedKind, { namespace, clock })),
    profiles: manager.informer(profileKind, { namespace, view: "shared texts" }, () =>
      createInformer(client, profileKind, { namespace, project: texts.project, clock }),
    ),
    nodes: manager.informer(kinds.node, { view: "facts" }, () =>
      createInformer(client, kinds.node, { project: projectNode as never, clock }),
    ) as NodeTuningCaches["nodes"],
    daemonSets: manager.informer(kinds.daemonSet, named(agentDaemonSetName), () =>
      createInformer(client, kinds.daemonSet, { ...named(agentDaemonSetName), clock }),
    ) as unknown as NodeTuningCaches["daemonSets"],
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
            createInformer<KubeObject>(client, kinds.configMap as never, { ...named(statusConfigMapName), clock }),
          ),
        }),
  };
}

/** Files of MachineConfigs are large, and those of ours have none. */
function withoutContent<T extends KubeObject & { spec?: { kernelArguments?: string[] | null; config?: unknown } }>(
  config: T,
): T {
  const { annotations } = config.metadata;
  const ours = annotations && Object.hasOwn(annotations, generatedAnnotation);
  return ours ? config : { ...config, spec: {} };
}

function newElection(options: OperatorOptions, namespace: string, clock: Clock, log: Log): LeaderElection {
  const { client, signal, metrics } = options;
  let said: string | undefined;
  return new LeaderElection({
    identity: `${hostname()}_${randomUUID()}`,
    name: operatorLease,
    lease: leaseStore(client, { namespace, name: operatorLease }),
    async mayLead() {
      const why = await otherOperator(client, namespace, signal);
      if (why !== undefined && why !== said) log.warn({}, why);
      said = why;
      return why === undefined;
    },
    clock,
    log,
    metrics,
  });
}
