import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Client } from "../../cluster/kube/client.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import { RefusedWrites } from "../../cluster/kube/refused-writes.ts";
import type { AgentMounts } from "../../domain/node-tuning/agent-daemon-set.ts";
import { LinkedAbort } from "../../cluster/kube/linked-abort.ts";
import { type Protocol, tunedKind, tuningNamespace } from "../../domain/node-tuning/api.ts";
import { ignoredTunedController, projectIgnored } from "../../domain/node-tuning/ignored-tuned-controller.ts";
import { LatestBootDecision } from "../../domain/node-tuning/boot/boot-decision.ts";
import { defaultUtilsImage } from "../../domain/scylla/names.ts";
import { nodeTuningController } from "../../domain/node-tuning/node-tuning-controller.ts";
import { type Clock, systemClock } from "../../cluster/runtime/clock.ts";
import { EventRecorder } from "../../cluster/runtime/event/event-recorder.ts";
import { LeaderElection } from "../../cluster/runtime/leader/leader-election.ts";
import { leadersOnly } from "../../cluster/runtime/leader/leader-gate.ts";
import { leaseKind, leaseStore } from "../../cluster/runtime/leader/lease.ts";
import { type Log, noLog } from "../../cluster/runtime/log/log.ts";
import type { Runnable } from "../../cluster/runtime/controller/runnable-group.ts";
import { createInformer, informerOfOne } from "../../cluster/kube/informer/informer.ts";
import { Manager } from "../../cluster/runtime/controller/manager.ts";
import { MetricsServer } from "../../cluster/runtime/metrics/metrics-server.ts";
import { type Exposition, type Metrics, noMetrics } from "../../cluster/runtime/metrics/metrics.ts";
import {
  type ClusterFeatures,
  describeFeatures,
  describeMachineConfiguration,
  FeatureWatch,
  rollsOut,
} from "./cluster-features.ts";
import type { FirstBootOptions } from "./first-boot/first-boot.ts";
import { addHosted } from "./hosted.ts";
import type { ControlPlanePlace } from "./hosted-parts.ts";
import { leaseCheck } from "./lease-check.ts";
import { metricsClients } from "./metrics-clients.ts";
import { nodeTuningCaches } from "./node-tuning-caches.ts";
import { nodeTuningMetrics } from "./node-tuning-metrics.ts";
import { OtherOperator } from "./other-operator.ts";
import { performanceProfiles } from "./performance-profiles.ts";
import { operatorLease, otherDeployment } from "./rbac.ts";
import { addRollout } from "./rollout.ts";
import { addScyllaGate } from "./scylla-gate.ts";
import { scyllaNodeTuning } from "./scylla/scylla.ts";
import { addStartupTaint } from "./startup-taint.ts";
import { addWorkloadPartitioning } from "./workload-partitioning.ts";

export interface OperatorOptions {
  client: Client;
  signal: AbortSignal;
  /** Of Tuneds and Profiles. Default: openshift-cluster-node-tuning-operator. */
  namespace?: string | undefined;
  /** Container image of the agents, and their ServiceAccount in the namespace of the Profiles. */
  image: string;
  agentServiceAccount: string;
  /** Default follow. */
  agentMounts?: AgentMounts | undefined;
  /** Arguments for every agent. */
  agentArguments?: readonly string[] | undefined;
  version: string;
  /** Version of the OpenShift release, which the shipped protocol compares. Default: none. */
  release?: string | undefined;
  /** Default documented. */
  protocol?: Protocol | undefined;
  /** Default: detected, and detected again when kinds appear or disappear. */
  features?: ClusterFeatures | undefined;
  /** The node it runs on, which is updated last. Default: none. */
  nodeName?: string | undefined;
  /** Tuneds come from there, to a hosted cluster. Default: they are objects of the cluster. */
  controlPlane?: ControlPlanePlace | undefined;
  /** With several replicas, only the leader acts. Default true. */
  leaderElection?: boolean | undefined;
  /** `host:port` of `/metrics`, `/healthz` and `/readyz`. Default: not served. */
  probeAddress?: string | undefined;
  /** `host:port` of `/metrics` for Prometheus. Default: not served. */
  metricsAddress?: string | undefined;
  /** A directory with `tls.crt` and `tls.key`, with which metrics are served over HTTPS. Default: none. */
  metricsCertificates?: string | undefined;
  /** Of a new ScyllaOperatorConfig. Default: `defaultUtilsImage`. */
  scyllaUtilsImage?: string | undefined;
  /** Where it rolls pools out: serve their configs to machines before they are nodes. Default: not. */
  firstBoot?: FirstBootOptions | undefined;
  clock?: Clock | undefined;
  log?: Log | undefined;
  metrics?: (Metrics & Exposition) | undefined;
  /** Prints a line for the user who started the operator. Default: to the log. */
  print?: ((line: string) => void) | undefined;
}

/**
 * Runs the operator until the signal aborts. Without `features` it detects them, and restarts its controllers when they
 * change: machine configuration may be installed later.
 */
export async function runOperator(options: OperatorOptions): Promise<void> {
  const { client, signal, clock = systemClock, log = noLog } = options;
  const print = options.print ?? ((line): void => log.info({}, line));
  if (options.features) {
    print(describeFeatures(options.features));
    return runWith(options, options.features, signal, print);
  }
  const ended = new LinkedAbort(signal);
  const watch = new FeatureWatch(client, { clock, log });
  const watching = watch.run(ended.signal);
  try {
    await runWithEach(watch, options, print);
  } finally {
    ended.abort();
    await watching;
  }
}

/** Runs the controllers for the features that the cluster has, and again when they have changed. */
async function runWithEach(
  watch: FeatureWatch,
  options: OperatorOptions,
  print: (line: string) => void,
): Promise<void> {
  const { signal } = options;
  for (let features = await watch.next(undefined, signal); features;) {
    print(describeFeatures(features));
    const current = new LinkedAbort(signal);
    const changed = watch.next(features, current.signal).then((next) => {
      current.abort();
      return next;
    });
    try {
      await runWith(options, features, current.signal, print);
    } finally {
      current.abort();
      features = await changed;
    }
    if (features) print("the kinds of the cluster have changed: restarting controllers");
  }
}

async function runWith(
  options: OperatorOptions,
  found: ClusterFeatures,
  signal: AbortSignal,
  print: (line: string) => void,
): Promise<void> {
  const { client, namespace = tuningNamespace, clock = systemClock, log = noLog, metrics, controlPlane } = options;
  // Pools and profiles of a hosted cluster come from the control plane namespace.
  const features = controlPlane ? { ...found, machineConfigPools: false, performanceProfiles: false } : found;
  const other = new OtherOperator(client, { namespace, clock, print });
  const election =
    options.leaderElection === false ? undefined : newElection(options, { namespace, clock, log, other });
  const refused = new RefusedWrites(clock);
  const leader = election ? leadersOnly(client, election.gate) : client;
  // Users of a hosted cluster may have policies and webhooks against its operator.
  const writer = controlPlane ? refused.noting(leader) : leader;
  const manager = new Manager({ election, probeAddress: options.probeAddress, metrics, clock, log });
  if (election && controlPlane) manager.addReadyCheck("lease", leaseCheck(election, clock));
  if (election && !controlPlane)
    manager.informer(kinds.deployment, { namespace, view: otherDeployment }, () => other.informer);
  const recorder = new EventRecorder({ client: writer, component: "attune-operator", clock, log });
  manager.add(recorder);
  if (metrics && options.metricsAddress !== undefined) {
    const { metricsAddress: address, metricsCertificates: certificates } = options;
    // Only OpenShift's Prometheus has a client certificate.
    const clients =
      certificates !== undefined && features.clusterOperators && !controlPlane
        ? metricsClients(client, clock)
        : undefined;
    const clientAuthorities = clients?.authorities;
    if (clients) manager.add(clients, { on: "everywhere" });
    manager.add(new MetricsServer({ address, certificates, clientAuthorities, metrics, clock, log }), {
      on: "everywhere",
    });
  }
  const { release = "", image, version, protocol = "documented" } = options;
  const caches = nodeTuningCaches({ manager, client, namespace, features, clock });
  const boot = new LatestBootDecision();
  const origin =
    controlPlane &&
    addHosted(manager, {
      place: controlPlane,
      writer: election ? leadersOnly(controlPlane.client, election.gate) : controlPlane.client,
      hosted: { client, writer },
      refused,
      features: found,
      caches,
      namespace,
      boot,
      protocol,
      version,
      clock,
      log,
      metrics,
    });
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
        mounts: options.agentMounts,
        args: [
          ...(options.agentArguments ?? []),
          // Two writers of one boot configuration would fight.
          ...(features.machineConfigPools || controlPlane ? ["--boot-arguments", "report"] : []),
          ...(rollsOut(features) || (controlPlane && found.machineConfigPools) ? ["--machine-config"] : []),
        ],
      },
      protocol,
      version,
      machineConfiguration: describeMachineConfiguration(features),
      signal,
      clock,
      log,
      metrics,
      recorder,
      origin,
      decided: (plan) => {
        counts.decided(plan);
        boot.set(plan.boot);
      },
    }),
  );
  if (rollsOut(features))
    addRollout(manager, {
      client,
      writer,
      boot,
      features,
      version,
      nodeName: options.nodeName,
      firstBoot: options.firstBoot,
      clock,
      log,
      metrics,
      recorder,
    });
  else addStartupTaint(manager, { client, writer, caches, namespace, features, clock, log, metrics });
  if (features.machineConfigPools)
    addWorkloadPartitioning(manager, { client, writer, features, clock, log, metrics, recorder });
  if (features.scyllaNodeConfigs) addScyllaGate(manager, { client, writer, clock, log, metrics });
  manager.add(ignoredTuneds({ client: writer, namespace, recorder, clock, log }));
  if (features.performanceProfiles)
    manager.add(
      performanceProfiles({ manager, client, writer, caches, boot, features, recorder, clock, log, metrics }),
    );
  if (features.scyllaNodeConfigs && !controlPlane) {
    const utilsImage = options.scyllaUtilsImage ?? defaultUtilsImage;
    manager.add(
      scyllaNodeTuning({ client, writer, template: { image, version }, utilsImage, clock, log, metrics, recorder }),
    );
  }
  try {
    await manager.run(signal);
  } finally {
    counts.stop();
  }
}

/** Not among the informers of the manager: node tuning must not wait for Tuneds that it ignores. */
function ignoredTuneds(input: {
  readonly client: Client;
  readonly namespace: string;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly log: Log;
}): Runnable {
  const { client, namespace, clock } = input;
  const fieldSelector = `metadata.namespace!=${namespace}`;
  const tuneds = createInformer(client, tunedKind, { fieldSelector, project: projectIgnored, clock });
  const controller = ignoredTunedController({ ...input, tuneds });
  return {
    name: "status of ignored Tuneds",
    async run(signal) {
      await Promise.all([tuneds.run(signal), controller.run(signal)]);
    },
  };
}

interface ElectionInput {
  readonly namespace: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly other: OtherOperator;
}

function newElection(
  { client, metrics, controlPlane }: OperatorOptions,
  { namespace, clock, log, other }: ElectionInput,
): LeaderElection {
  const place = { namespace, name: operatorLease };
  return new LeaderElection({
    identity: `${hostname()}_${randomUUID()}`,
    name: operatorLease,
    lease: leaseStore(client, { ...place, informer: informerOfOne(client, leaseKind, { ...place, clock }) }),
    // The operator of a hosted cluster that Attune replaces runs in the management cluster: only the Lease tells of it.
    untilMayLead: (signal) => (controlPlane ? Promise.resolve() : other.untilStopped(signal)),
    clock,
    log,
    metrics,
  });
}
