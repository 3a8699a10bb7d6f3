import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Client } from "../kube/client.ts";
import { createInformer } from "../kube/informer.ts";
import { kinds } from "../kube/kinds.ts";
import { profileKind, tunedKind, tuningNamespace } from "../node-tuning/api.ts";
import { nodeTuningController, projectNode } from "../node-tuning/node-tuning-controller.ts";
import { type Clock, systemClock } from "../runtime/clock.ts";
import { LeaderElection } from "../runtime/leader-election.ts";
import { leadersOnly } from "../runtime/leader-gate.ts";
import { leaseStore } from "../runtime/lease.ts";
import { type Log, noLog } from "../runtime/log.ts";
import { Manager } from "../runtime/manager.ts";
import type { Exposition, Metrics } from "../runtime/metrics.ts";
import { operatorLease, systemNamespace } from "./rbac.ts";

export interface OperatorOptions {
  client: Client;
  signal: AbortSignal;
  /** Where Tuneds and Profiles are. Default: where existing manifests put them. */
  namespace?: string;
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
  const election = options.leaderElection === false ? undefined : newElection(options, clock, log);
  const writer = election ? leadersOnly(client, election.gate) : client;
  const manager = new Manager({ election, probeAddress: options.probeAddress, metrics, clock, log });

  const inNamespace = { namespace, clock };
  const tuneds = manager.informer(tunedKind, { namespace }, () => createInformer(client, tunedKind, inNamespace));
  const profiles = manager.informer(profileKind, { namespace }, () => createInformer(client, profileKind, inNamespace));
  const nodes = manager.informer(kinds.node, { view: "facts" }, () =>
    createInformer(client, kinds.node, { project: projectNode, clock }),
  );
  manager.add(nodeTuningController({ client: writer, tuneds, profiles, nodes, namespace, clock, log, metrics }));
  await manager.run(signal);
}

function newElection(options: OperatorOptions, clock: Clock, log: Log): LeaderElection {
  return new LeaderElection({
    identity: `${hostname()}_${randomUUID()}`,
    name: operatorLease,
    lease: leaseStore(options.client, { namespace: systemNamespace, name: operatorLease }),
    clock,
    log,
    metrics: options.metrics,
  });
}
