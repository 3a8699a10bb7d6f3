import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Client } from "../../cluster/kube/client.ts";
import { type Protocol, tuningNamespace } from "../../domain/node-tuning/api.ts";
import { nodeTuningController } from "../../domain/node-tuning/node-tuning-controller.ts";
import { type Clock, systemClock } from "../../cluster/runtime/clock.ts";
import { EventRecorder } from "../../cluster/runtime/event/event-recorder.ts";
import { LeaderElection } from "../../cluster/runtime/leader/leader-election.ts";
import { leadersOnly } from "../../cluster/runtime/leader/leader-gate.ts";
import { leaseStore } from "../../cluster/runtime/leader/lease.ts";
import { type Log, noLog } from "../../cluster/runtime/log/log.ts";
import { Manager } from "../../cluster/runtime/controller/manager.ts";
import { type Exposition, type Metrics, noMetrics } from "../../cluster/runtime/metrics/metrics.ts";
import { type ClusterFeatures, clusterFeatures, describeFeatures, featuresChanged } from "./cluster-features.ts";
import { nodeTuningCaches } from "./node-tuning-caches.ts";
import { nodeTuningMetrics } from "./node-tuning-metrics.ts";
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
  /** More arguments for every agent. */
  agentArguments?: readonly string[];
  version: string;
  /** Of the payload, part of what the shipped protocol compares. Default: none. */
  release?: string;
  /** Default documented. */
  protocol?: Protocol;
  /** Default: what the cluster has, and goes on to have. */
  features?: ClusterFeatures;
  /** Several operators may run, one acts. Default true. */
  leaderElection?: boolean;
  /** `host:port` of `/metrics`, `/healthz` and `/readyz`. Default: nowhere. */
  probeAddress?: string;
  clock?: Clock;
  log?: Log;
  metrics?: Metrics & Exposition;
  /** Hears, in a line each, what whoever started the operator should know. */
  tell?: (line: string) => void;
}

/**
 * The operator on a standalone cluster, until the signal aborts. Unless told what the cluster has, it finds out, and
 * begins anew when that changes: machine configuration may be installed after it.
 */
export async function runOperator(options: OperatorOptions): Promise<void> {
  const { client, signal, clock = systemClock, log = noLog } = options;
  const tell = options.tell ?? ((line): void => log.info({}, line));
  if (options.features) {
    tell(describeFeatures(options.features));
    return runWith(options, options.features, signal, tell);
  }
  while (!signal.aborted) {
    const features = await clusterFeatures(client, signal);
    tell(describeFeatures(features));
    const changed = new AbortController();
    const looking = featuresChanged(client, features, {
      signal: AbortSignal.any([signal, changed.signal]),
      clock,
      log,
    }).then(() => changed.abort());
    try {
      await runWith(options, features, AbortSignal.any([signal, changed.signal]), tell);
    } finally {
      changed.abort();
      await looking;
    }
    if (!signal.aborted) tell("the cluster has other kinds now: begin anew");
  }
}

async function runWith(
  options: OperatorOptions,
  features: ClusterFeatures,
  signal: AbortSignal,
  tell: (line: string) => void,
): Promise<void> {
  const { client, namespace = tuningNamespace, clock = systemClock, log = noLog, metrics } = options;
  const election =
    options.leaderElection === false ? undefined : newElection(options, { namespace, clock, log, signal, tell });
  const writer = election ? leadersOnly(client, election.gate) : client;
  const manager = new Manager({ election, probeAddress: options.probeAddress, metrics, clock, log });
  const recorder = new EventRecorder({ client: writer, component: "attune-operator", clock, log });
  manager.add(recorder);
  const { release = "", image, version, protocol = "documented" } = options;
  const caches = nodeTuningCaches(manager, client, namespace, features, clock);
  const counts = nodeTuningMetrics(metrics ?? noMetrics, caches, { namespace, version, clock });
  manager.add(
    nodeTuningController({
      client: writer,
      caches,
      namespace,
      agent: {
        namespace,
        image,
        serviceAccount: options.agentServiceAccount,
        release,
        args: options.agentArguments,
      },
      protocol,
      version,
      signal,
      clock,
      log,
      metrics,
      recorder,
      decided: counts.decided,
    }),
  );
  try {
    await manager.run(signal);
  } finally {
    counts.stop();
  }
}

interface ElectionNeeds {
  readonly namespace: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly tell: (line: string) => void;
}

function newElection(
  { client, metrics }: OperatorOptions,
  { namespace, clock, log, signal, tell }: ElectionNeeds,
): LeaderElection {
  let said: string | undefined;
  return new LeaderElection({
    identity: `${hostname()}_${randomUUID()}`,
    name: operatorLease,
    lease: leaseStore(client, { namespace, name: operatorLease }),
    async mayLead() {
      const why = await otherOperator(client, namespace, signal);
      if (why !== undefined && why !== said) tell(why);
      said = why;
      return why === undefined;
    },
    clock,
    log,
    metrics,
  });
}
