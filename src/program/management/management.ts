import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { gzipSync } from "node:zlib";
import type { Client } from "../../cluster/kube/client.ts";
import { informerOfOne } from "../../cluster/kube/informer/informer.ts";
import { type Clock, systemClock } from "../../cluster/runtime/clock.ts";
import { Manager } from "../../cluster/runtime/controller/manager.ts";
import { EventRecorder } from "../../cluster/runtime/event/event-recorder.ts";
import { LeaderElection } from "../../cluster/runtime/leader/leader-election.ts";
import { leadersOnly } from "../../cluster/runtime/leader/leader-gate.ts";
import { leaseKind, leaseStore } from "../../cluster/runtime/leader/lease.ts";
import { type Log, noLog } from "../../cluster/runtime/log/log.ts";
import type { Exposition, Metrics } from "../../cluster/runtime/metrics/metrics.ts";
import { protocols } from "../../domain/hosted/protocol.ts";
import { clusterApiProvider } from "../../domain/node-pool/cluster-api.ts";
import type { MachineProvider } from "../../domain/node-pool/machine-provider.ts";
import { nodePoolController } from "../../domain/node-pool/node-pool-controller.ts";
import type { Protocol } from "../../domain/node-tuning/api.ts";
import { hostedClusterOperators } from "./hosted-clusters.ts";
import { systemNamespace } from "../operator/names.ts";
import { sha256 } from "../operator/sha256.ts";
import { managementName } from "./names.ts";
import { nodePoolCaches } from "./node-pool-caches.ts";
import { type OptionalKinds, withOptionalKinds } from "./optional-kinds.ts";

export interface ManagementOptions {
  /** Of the management cluster. */
  readonly client: Client;
  readonly signal: AbortSignal;
  /** Where it runs, and has its Lease. Default attune-system. */
  readonly namespace?: string | undefined;
  /** Container image of the operators of hosted clusters, and of their agents. */
  readonly image: string;
  /** What makes machines: `auto` is Cluster API while the cluster has it. Default: none, nodes join by other means. */
  readonly provider?: MachineProvider | "auto" | undefined;
  /** Default documented. */
  readonly protocol?: Protocol | undefined;
  /** With several replicas, only the leader acts. Default true. */
  readonly leaderElection?: boolean | undefined;
  /** `host:port` of `/metrics`, `/healthz` and `/readyz`. Default: not served. */
  readonly probeAddress?: string | undefined;
  readonly clock?: Clock | undefined;
  readonly log?: Log | undefined;
  readonly metrics?: (Metrics & Exposition) | undefined;
}

/** Runs the management side of hosted control planes until the signal aborts. */
export async function runManagement(options: ManagementOptions): Promise<void> {
  const { client, signal, clock = systemClock, log = noLog } = options;
  await withOptionalKinds({ client, signal, clock, log }, (found, current) =>
    runWith({ ...options, clock, log, signal: current }, found),
  );
}

async function runWith(
  options: ManagementOptions & { readonly clock: Clock; readonly log: Log },
  { monitoring, clusterApi }: OptionalKinds,
): Promise<void> {
  const { client, signal, protocol = "documented", probeAddress, clock, log, metrics } = options;
  const election = options.leaderElection === false ? undefined : newElection(options, { clock, log });
  const ofLeader = (any: Client): Client => (election ? leadersOnly(any, election.gate) : any);
  const writer = ofLeader(client);
  const manager = new Manager({ election, probeAddress, metrics, clock, log });
  const recorder = new EventRecorder({ client: writer, component: managementName, clock, log });
  manager.add(recorder);
  const common = { client: writer, clock, log, metrics, recorder };
  const automatic = clusterApi ? clusterApiProvider : undefined;
  const provider = options.provider === "auto" ? automatic : options.provider;
  const caches = nodePoolCaches({ manager, client, clock, provider });
  const pure = { digest: sha256, compress: (bytes: Uint8Array) => gzipSync(bytes), newToken: randomUUID };
  manager.add(nodePoolController({ ...common, ...pure, caches, provider, protocol: protocols[protocol] }));
  const { hostedClusters, namespaces, nodePools } = caches;
  const { image } = options;
  const place = { manager, client, writer, leadersOnly: ofLeader, hostedClusters, namespaces, nodePools };
  manager.add(hostedClusterOperators({ ...common, ...place, image, protocol, hasMonitoring: monitoring }));
  await manager.run(signal);
}

function newElection(
  { client, namespace = systemNamespace, metrics }: ManagementOptions,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): LeaderElection {
  const place = { namespace, name: managementName };
  return new LeaderElection({
    identity: `${hostname()}_${randomUUID()}`,
    name: managementName,
    lease: leaseStore(client, { ...place, informer: informerOfOne(client, leaseKind, { ...place, clock }) }),
    clock,
    log,
    metrics,
  });
}
