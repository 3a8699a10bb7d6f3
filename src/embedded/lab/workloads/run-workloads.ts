import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { hostname } from "node:os";
import type { Informer } from "../../../cluster/kube/cache.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import type { Impersonation } from "../../../cluster/kube/connect/connection.ts";
import { createInformer } from "../../../cluster/kube/informer/informer.ts";
import { type Clock, systemClock, whenAborted } from "../../../cluster/runtime/clock.ts";
import { LeaderElection } from "../../../cluster/runtime/leader/leader-election.ts";
import { LeaderGate, leadersOnly, LeadershipLostError } from "../../../cluster/runtime/leader/leader-gate.ts";
import { leaseKind, leaseStore } from "../../../cluster/runtime/leader/lease.ts";
import { type Log, noLog } from "../../../cluster/runtime/log/log.ts";
import type { Metrics } from "../../../cluster/runtime/metrics/metrics.ts";
import { LeaseObserver } from "./lease-observer.ts";
import type { NodeCaches } from "./workload-caches.ts";
import { createLabCaches, type LabCaches, runControllers, runScheduling } from "./workload-components.ts";

/** The two programs of a cluster whose work this is. */
export type WorkloadComponent = "controllers" | "scheduler";

export type ComponentState =
  /** Another process like this one does it. */
  | { type: "candidate"; leader: string | undefined }
  | { type: "running" }
  /** The real program holds its Lease. */
  | { type: "idle"; holder: string };

export interface WorkloadsOptions {
  /** The account that runs this, acting as each controller: no part has more rights than the one it stands in for. */
  clientAs: (who: Impersonation) => Client;
  signal: AbortSignal;
  /** Pods and nodes as they are read already, where somebody runs such caches for longer than this. */
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
/** Who may read everything, and keep leases in kube-system. */
const manager: Impersonation = { user: "system:kube-controller-manager" };
const sides: Record<WorkloadComponent, { lease: string; run: typeof runControllers }> = {
  controllers: { lease: "kube-controller-manager", run: runControllers },
  scheduler: { lease: "kube-scheduler", run: runScheduling },
};

/**
 * Scheduler and controllers of workloads, until the signal. Of several such processes one acts; where the real
 * kube-controller-manager or kube-scheduler is alive, its side rests.
 */
export async function runWorkloads(options: WorkloadsOptions): Promise<void> {
  const { signal, clock = systemClock, log = noLog, onState } = options;
  // Every informer and controller listens.
  setMaxListeners(0, signal);
  const client = options.clientAs(manager);
  while (!signal.aborted) {
    const election = new LeaderElection({
      identity: options.identity ?? `${hostname()}_${randomUUID()}`,
      name: ownLease,
      lease: leaseStore(client, { namespace: systemNamespace, name: ownLease }),
      onNewLeader: (leader) => {
        if (leader === election.identity) return;
        log.info({ leader }, "another process runs the workloads");
        for (const side of Object.keys(sides) as WorkloadComponent[]) onState?.(side, { type: "candidate", leader });
      },
      clock,
      log,
      metrics: options.metrics,
    });
    try {
      await election.lead(signal, (leading) => runTerm({ ...options, clock, log }, client, election.gate, leading));
    } catch (error) {
      if (!(error instanceof LeadershipLostError)) throw error;
      log.warn({ error }, "lost the lease, stand again");
    }
  }
}

type Settled = WorkloadsOptions & { clock: Clock; log: Log };

/** As long as we lead. Caches are kept only once a side of ours needs them. */
async function runTerm(options: Settled, client: Client, gate: LeaderGate, signal: AbortSignal): Promise<void> {
  const { clock } = options;
  const stop = new AbortController();
  const ending = AbortSignal.any([signal, stop.signal]);
  setMaxListeners(0, ending);
  const leases = createInformer(client, leaseKind, { namespace: systemNamespace, clock });
  const running: Promise<void>[] = [];
  let caches: LabCaches | undefined;
  const sharedCaches = (): LabCaches => {
    if (!caches) {
      const onHandlerError = (error: unknown): void => options.log.error({ error }, "handle an event");
      caches = createLabCaches(client, { clock, onHandlerError }, options.caches);
      for (const informer of caches.own) running.push(informer.run(ending));
    }
    return caches;
  };
  const parts = (Object.keys(sides) as WorkloadComponent[]).map((side) =>
    runComponent(side, options, { leases, gate, signal: ending, caches: sharedCaches }),
  );
  // What fails ends the others, and is told.
  const ended = parts.map((part) =>
    part.catch((error: unknown) => {
      stop.abort(error);
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

async function runComponent(side: WorkloadComponent, options: Settled, context: ComponentContext): Promise<void> {
  const { clock, log, onState, clientAs, metrics } = options;
  const { signal, caches } = context;
  const rival = new LeaseObserver(context.leases, sides[side].lease, clock);
  const end = await rival.start(signal).catch((error: unknown) => {
    if (signal.aborted) return () => {};
    throw error;
  });
  try {
    while (!signal.aborted) {
      if (rival.holder !== undefined) {
        log.info({ side, holder: rival.holder }, "step back: the real one holds its lease");
        onState?.(side, { type: "idle", holder: rival.holder });
        await changed(rival, signal);
        continue;
      }
      log.info({ side }, "run");
      onState?.(side, { type: "running" });
      const term = new AbortController();
      const turn = AbortSignal.any([signal, term.signal]);
      setMaxListeners(0, turn);
      // From the moment the other one is alive no request of ours starts any more.
      const gate = new LeaderGate(clock);
      gate.extend(Infinity, Infinity);
      const release = rival.onChange(() => {
        if (rival.holder === undefined) return;
        gate.close();
        term.abort();
      });
      const as = (user: string): Client => leadersOnly(leadersOnly(clientAs({ user }), context.gate), gate);
      try {
        await sides[side].run({ as, caches: caches(), clock, log, metrics, signal: turn });
        await whenAborted(turn);
      } finally {
        release();
      }
    }
  } finally {
    end();
  }
}

function changed(rival: LeaseObserver, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const release = rival.onChange(done);
    function done(): void {
      release();
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done, { once: true });
  });
}
