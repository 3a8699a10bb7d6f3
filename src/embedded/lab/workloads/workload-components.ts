import { setMaxListeners } from "node:events";
import type { Informer } from "../../../cluster/kube/cache.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { createInformer } from "../../../cluster/kube/informer/informer.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { LinkedAbort } from "../../../cluster/kube/linked-abort.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import type { Clock } from "../../../cluster/runtime/clock.ts";
import { EventRecorder } from "../../../cluster/runtime/event/event-recorder.ts";
import { leaseKind } from "../../../cluster/runtime/leader/lease.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import type { Metrics } from "../../../cluster/runtime/metrics/metrics.ts";
import { runClaimProtection } from "./claim-protection/claim-protection-controller.ts";
import { runCronJobs } from "./cron-job/cron-job-controller.ts";
import { runDaemonSets } from "./daemon-set/daemon-set-controller.ts";
import { runDeployments } from "./deployment/deployment-controller.ts";
import { runDisruptionBudgets } from "./disruption-budget/disruption-budget-controller.ts";
import {
  byService,
  bySlicedService,
  runEndpointSlices,
  type ServiceCaches,
} from "./endpoint-slice/endpoint-slice-controller.ts";
import { runJobs } from "./job/job-controller.ts";
import { type NodeLeases, runNodeLifeCycle } from "./node-life-cycle/node-life-cycle-controller.ts";
import { runPodGarbage } from "./node-life-cycle/pod-garbage-controller.ts";
import { textOf } from "./pods/pod-writes.ts";
import { runReplicaSets, runReplicationControllers } from "./replica-set/replica-set-controller.ts";
import { Scheduler } from "./scheduler/scheduler.ts";
import { runStatefulSets } from "./stateful-set/stateful-set-controller.ts";
import { byNamespace, createWorkloadCaches, reading } from "./workload-caches.ts";
import type { CacheOptions, NodeCaches, WorkloadCaches } from "./workload-caches.ts";
import type { WorkloadOptions } from "./workload-options.ts";

/** The caches of scheduler and controllers. */
export interface LabCaches extends ServiceCaches, NodeLeases {
  workloads: WorkloadCaches;
  namespaces: Informer;
  /** The informers that the caller does not run: all but the shared ones. */
  own: readonly Informer[];
}

export function createLabCaches(client: Client, given: CacheOptions, shared?: NodeCaches): LabCaches {
  const options = { ...given, ...reading };
  const workloads = createWorkloadCaches(client, given, shared);
  const inNamespace = { [byNamespace]: ({ metadata }: KubeObject): string[] => [metadata.namespace ?? ""] };
  const more = {
    namespaces: createInformer(client, kinds.namespace, options),
    services: createInformer(client, kinds.service, { ...options, indexes: inNamespace }),
    endpointSlices: createInformer(client, kinds.endpointSlice, {
      ...options,
      indexes: { [byService]: bySlicedService },
    }),
    leases: createInformer(client, leaseKind, { ...options, namespace: "kube-node-lease" }),
  };
  const all = [...Object.values(workloads), ...Object.values(more)] as Informer[];
  const others = new Set<Informer>(shared ? (Object.values(shared) as Informer[]) : []);
  return { workloads, ...more, own: all.filter((informer) => !others.has(informer)) };
}

export interface ComponentOptions {
  /** A client that impersonates this user. */
  as: (user: string) => Client;
  caches: LabCaches;
  clock: Clock;
  log?: Log | undefined;
  metrics?: Metrics | undefined;
  signal: AbortSignal;
}

type Run = (options: WorkloadOptions & ServiceCaches & NodeLeases & { signal: AbortSignal }) => Promise<void>;

/** By the ServiceAccount in kube-system that each impersonates. */
const controllers: Readonly<Record<string, Run>> = {
  "cronjob-controller": runCronJobs,
  "daemon-set-controller": runDaemonSets,
  "deployment-controller": runDeployments,
  "disruption-controller": runDisruptionBudgets,
  "endpointslice-controller": runEndpointSlices,
  "job-controller": runJobs,
  "node-controller": runNodeLifeCycle,
  "pod-garbage-collector": runPodGarbage,
  "pvc-protection-controller": runClaimProtection,
  "replicaset-controller": runReplicaSets,
  "replication-controller": runReplicationControllers,
  "statefulset-controller": runStatefulSets,
};

/** The accounts in kube-system that the lab impersonates. */
export const controllerAccounts: readonly string[] = Object.keys(controllers);

/** Stands in for kube-controller-manager. The first controller that fails ends the others. */
export async function runControllers({ as, caches, signal, ...options }: ComponentOptions): Promise<void> {
  const { workloads, services, endpointSlices, leases } = caches;
  const ending = new LinkedAbort(signal);
  setMaxListeners(0, ending.signal);
  const common = { ...options, caches: workloads, services, endpointSlices, leases, signal: ending.signal };
  const parts = Object.entries(controllers).map(async ([name, run]) => {
    try {
      await run({ ...common, client: as(`system:serviceaccount:kube-system:${name}`) });
    } catch (cause) {
      ending.abort();
      throw new Error(`run ${name}: ${textOf(cause)}`, { cause });
    }
  });
  for (const outcome of await Promise.allSettled(parts)) if (outcome.status === "rejected") throw outcome.reason;
}

/** Stands in for kube-scheduler. */
export async function runScheduling({ as, caches, clock, log, signal }: ComponentOptions): Promise<void> {
  const client = as("system:kube-scheduler");
  const recorder = new EventRecorder({ client, component: "default-scheduler", clock, log });
  const { pods, nodes, podDisruptionBudgets: budgets, persistentVolumeClaims: claims } = caches.workloads;
  const scheduler = new Scheduler({
    client,
    clock,
    log,
    recorder,
    pods,
    nodes,
    namespaces: caches.namespaces,
    budgets,
    claims,
  });
  try {
    await scheduler.run(signal);
  } finally {
    await recorder.stop();
  }
}
