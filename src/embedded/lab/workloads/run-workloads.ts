import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { hostname } from "node:os";
import type { Informer } from "../../../cluster/kube/cache.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import type { Impersonation } from "../../../cluster/kube/connect/connection.ts";
import { createInformer, informerOfOne } from "../../../cluster/kube/informer/informer.ts";
import { LinkedAbort } from "../../../cluster/kube/linked-abort.ts";
import { type Clock, systemClock, whenAborted } from "../../../cluster/runtime/clock.ts";
import { LeaderElection } from "../../../cluster/runtime/leader/leader-election.ts";
import { LeaderGate, leadersOnly, LeadershipLostError } from "../../../cluster/runtime/leader/leader-gate.ts";
import { leaseKind, leaseStore } from "../../../cluster/runtime/leader/lease.ts";
import { type Log, noLog } from "../../../cluster/runtime/log/log.ts";
import type { Metrics } from "../../../cluster/runtime/metrics/metrics.ts";
import { LeaseObserver } from "./lease-observer.ts";
import type { NodeCaches } from "./workload-caches.ts";
import { createLabCaches, type LabCaches, runControllers, runScheduling } from "./workload-components.ts";

/** The two components of a control plane that the lab can stand in for. */
export type WorkloadComponent = "controllers" | "scheduler";

export type ComponentState =
  /** Another lab runs it. */
  | { type: "candidate"; leader: string | undefined }
  | { type: "running" }
  /** The real component holds its Lease. */
  | { type: "idle"; holder: string };

export interface WorkloadsOptions {
  /** The lab's account, impersonating each controller: none has more rights than the real one. */
  clientAs: (who: Impersonation) => Client;
  signal: AbortSignal;
  /** Caches of pods and nodes that the caller runs. Default: own ones. */
  caches?: NodeCaches | undefined;
  /** Called with each change. */
  onState?: ((component: WorkloadComponent, state: ComponentState) => void) | undefined;
  /** Different for each process. Default: host name and a random part. */
  identity?: string | undefined;
  clock?: Clock | undefined;
  log?: Log | undefined;
  metrics?: Metrics | undefined;
}

const systemNamespace = "kube-system";
const ownLease = "attune-lab-workloads";
/** May read everything and write leases in kube-system. */
const manager: Impersonation = { user: "system:kube-controller-manager" };
const components: Record<WorkloadComponent, { lease: string; run: typeof runControllers }> = {
  controllers: { lease: "kube-controller-manager", run: runControllers },
  scheduler: { lease: "kube-scheduler", run: runScheduling },
};

/**
 * Runs scheduler and workload controllers until the signal. Of several labs one acts. A component stays idle while the
 * real kube-controller-manager or kube-scheduler holds its Lease.
 */
export async function runWorkloads(options: WorkloadsOptions): Promise<void> {
  const { signal, clock = systemClock, log = noLog, onState } = options;
  // Every informer and controller listens.
  setMaxListeners(0, signal);
  const client = options.clientAs(manager);
  const place = { namespace: systemNamespace, name: ownLease };
  while (!signal.aborted) {
    const election = new LeaderElection({
      identity: options.identity ?? `${hostname()}_${randomUUID()}`,
      name: ownLease,
      lease: leaseStore(client, { ...place, informer: informerOfOne(client, leaseKind, place) }),
      onNewLeader: (leader) => {
        if (leader === election.identity) return;
        log.info({ leader }, "another lab runs scheduler and controllers");
        for (const component of Object.keys(components) as WorkloadComponent[])
          onState?.(component, { type: "candidate", leader });
      },
      clock,
      log,
      metrics: options.metrics,
    });
    try {
      await election.lead(signal, (leading) => runTerm({ ...options, clock, log }, client, election.gate, leading));
    } catch (error) {
      if (!(error instanceof LeadershipLostError)) throw error;
      log.warn({ error }, "lost the lease, will stand for election again");
    }
  }
}

type Settled = WorkloadsOptions & { clock: Clock; log: Log };

/** One term as the leader. Caches run only once a component needs them. */
async function runTerm(options: Settled, client: Client, gate: LeaderGate, signal: AbortSignal): Promise<void> {
  const stop = new LinkedAbort(signal);
  const ending = stop.signal;
  setMaxListeners(0, ending);
  const leases = createInformer(client, leaseKind, { namespace: systemNamespace });
  const running: Promise<void>[] = [];
  let caches: LabCaches | undefined;
  const sharedCaches = (): LabCaches => {
    if (!caches) {
      const onHandlerError = (error: unknown): void => options.log.error({ error }, "handle an event");
      caches = createLabCaches(client, { onHandlerError }, options.caches);
      for (const informer of caches.own) running.push(informer.run(ending));
    }
    return caches;
  };
  const parts = (Object.keys(components) as WorkloadComponent[]).map((component) =>
    runComponent(component, options, { leases, gate, signal: ending, caches: sharedCaches }),
  );
  // A failure ends the other component, and is thrown.
  const ended = parts.map((part) =>
    part.catch((error: unknown) => {
      stop.abort();
      throw error;
    }),
  );
  const outcomes = await Promise.allSettled([leases.run(ending), ...ended]);
  await Promise.allSettled(running);
  for (const outcome of outcomes) if (outcome.status === "rejected" && !signal.aborted) throw outcome.reason;
}

interface ComponentContext {
  leases: Informer;
  gate: LeaderGate;
  signal: AbortSignal;
  caches: () => LabCaches;
}

async function runComponent(component: WorkloadComponent, options: Settled, context: ComponentContext): Promise<void> {
  const { clock, log, onState, clientAs, metrics } = options;
  const { signal, caches } = context;
  const realLease = new LeaseObserver(context.leases, components[component].lease, clock);
  const end = await realLease.start(signal).catch((error: unknown) => {
    if (signal.aborted) return () => {};
    throw error;
  });
  try {
    while (!signal.aborted) {
      if (realLease.holder !== undefined) {
        log.info({ component, holder: realLease.holder }, "idle: the real component holds its lease");
        onState?.(component, { type: "idle", holder: realLease.holder });
        await changed(realLease, signal);
        continue;
      }
      log.info({ component }, "run");
      onState?.(component, { type: "running" });
      const term = new LinkedAbort(signal);
      const ending = term.signal;
      setMaxListeners(0, ending);
      // Once the real component holds its lease, no request is started.
      const gate = new LeaderGate(clock);
      gate.extend(Infinity, Infinity);
      const release = realLease.onChange(() => {
        if (realLease.holder === undefined) return;
        gate.close();
        term.abort();
      });
      const as = (user: string): Client => leadersOnly(leadersOnly(clientAs({ user }), context.gate), gate);
      try {
        await components[component].run({ as, caches: caches(), clock, log, metrics, signal: ending });
        await whenAborted(ending);
      } finally {
        release();
      }
    }
  } finally {
    end();
  }
}

function changed(lease: LeaseObserver, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const release = lease.onChange(done);
    function done(): void {
      release();
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done, { once: true });
  });
}
