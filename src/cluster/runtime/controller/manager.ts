import type { KubeObject } from "../../../language/object/meta.ts";
import type { Informer } from "../../kube/cache.ts";
import type { KindRef } from "../../kube/client.ts";
import { type Clock, pause, systemClock, whenAborted } from "../clock.ts";
import type { LeaderElection } from "../leader/leader-election.ts";
import { type Log, noLog } from "../log/log.ts";
import type { Exposition } from "../metrics/metrics.ts";
import { type Check, ProbeServer } from "../metrics/probe-server.ts";
import { type Runnable, RunnableGroup } from "./runnable-group.ts";

export interface ManagerOptions {
  /** Without an election, leader-only parts run at once. */
  election?: LeaderElection | undefined;
  /** `host:port` that serves `/healthz`, `/readyz` and `/metrics`. Default: none. */
  probeAddress?: string | undefined;
  /** Run without probes where the address is taken, with an error in the log. Default false. */
  probesAreOptional?: boolean | undefined;
  metrics?: Exposition | undefined;
  /** How long everything together may take to stop. Default 35 s, 5 more than a controller gives its reconciles. */
  stopGraceMs?: number | undefined;
  clock?: Clock | undefined;
  log?: Log | undefined;
}

/** Which objects of a kind. Two callers with the same selection share one informer. */
export interface Selection {
  namespace?: string | undefined;
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
  /** Names the projection, if the informer has one: another projection needs another informer. */
  view?: string | undefined;
}

/**
 * Runs the parts of a process: probes and informers, then parts of every replica, then parts of the leader only. Stops
 * in reverse order, so that parts that still run have their caches; releases the lease after the leader's parts ended.
 */
export class Manager {
  readonly #options: ManagerOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #stop = new AbortController();
  readonly #failures: unknown[] = [];
  readonly #informers = new Map<string, Informer>();
  readonly #healthz = new Map<string, Check>();
  readonly #readyz = new Map<string, Check>([["informers", () => this.#checkInformers()]]);
  readonly #groups: Record<"informers" | "everywhere" | "leader", RunnableGroup>;
  #probes: ProbeServer | undefined;

  constructor(options: ManagerOptions = {}) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#log = options.log ?? noLog;
    const group = (): RunnableGroup => new RunnableGroup((error) => this.#fail(error));
    this.#groups = { informers: group(), everywhere: group(), leader: group() };
  }

  /** The informer for this selection; the first call creates it. */
  informer<T extends KubeObject>(of: KindRef, selection: Selection, create: () => Informer<T>): Informer<T> {
    const { namespace, labelSelector, fieldSelector, view } = selection;
    const key = JSON.stringify([of.apiVersion, of.plural, namespace, labelSelector, fieldSelector, view]);
    let informer = this.#informers.get(key) as Informer<T> | undefined;
    if (!informer) {
      const made = create();
      this.#informers.set(key, made);
      this.#groups.informers.add({ name: `informer of ${of.plural}`, run: (signal) => made.run(signal) });
      informer = made;
    }
    return informer;
  }

  /** By default only the leader runs it: the right choice for parts that write. */
  add(runnable: Runnable, { on = "leader" }: { on?: "leader" | "everywhere" } = {}): void {
    this.#groups[on].add(runnable);
  }

  addHealthCheck(name: string, check: Check): void {
    this.#healthz.set(name, check);
  }

  addReadyCheck(name: string, check: Check): void {
    this.#readyz.set(name, check);
  }

  /** The address of the probe server with its actual port, once it listens. */
  get probeAddress(): string | undefined {
    return this.#probes?.address;
  }

  /** Runs until the signal aborts, then stops all parts and resolves. The first failure of a part stops all and rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = (): void => this.#stop.abort(signal.reason);
    if (signal.aborted) return;
    signal.addEventListener("abort", stop, { once: true });
    // Timers of the clock do not keep the process alive, and a candidate that waits for the lease has nothing else.
    const alive = setInterval(() => {}, 2 ** 30);
    try {
      await this.#serveProbes();
      this.#groups.informers.start();
      this.#groups.everywhere.start();
      const led = this.#lead();
      await whenAborted(this.#stop.signal);
      await this.#stopAll(led);
    } finally {
      signal.removeEventListener("abort", stop);
      await this.#probes?.close();
      clearInterval(alive);
    }
    if (this.#failures.length > 0) throw this.#failures[0];
  }

  async #serveProbes(): Promise<void> {
    const { probeAddress, probesAreOptional = false, metrics } = this.#options;
    if (probeAddress === undefined) return;
    const probes = new ProbeServer({ address: probeAddress, healthz: this.#healthz, readyz: this.#readyz, metrics });
    try {
      await probes.listen();
    } catch (error) {
      if (!probesAreOptional) throw error;
      return this.#log.error({ error }, "run without probes");
    }
    this.#probes = probes;
    this.#log.info({ address: probes.address }, "serve probes");
  }

  /** Resolves when the leader's parts have ended and the lease is released. */
  async #lead(): Promise<void> {
    const work = async (signal: AbortSignal): Promise<void> => {
      this.#groups.leader.start();
      await whenAborted(signal);
      await this.#groups.leader.stop(signal.reason);
    };
    try {
      await (this.#options.election ? this.#options.election.lead(this.#stop.signal, work) : work(this.#stop.signal));
    } catch (error) {
      this.#fail(error);
    }
  }

  async #stopAll(led: Promise<void>): Promise<void> {
    const { stopGraceMs = 35_000 } = this.#options;
    const ended = new AbortController();
    const inOrder = async (): Promise<"stopped"> => {
      await led;
      await this.#groups.everywhere.stop(this.#stop.signal.reason);
      await this.#groups.informers.stop(this.#stop.signal.reason);
      return "stopped";
    };
    const outcome = await Promise.race([inOrder(), pause(this.#clock, stopGraceMs, ended.signal)]);
    ended.abort();
    if (outcome === "stopped") return;
    const { leader, everywhere, informers } = this.#groups;
    const names = [...leader.running, ...everywhere.running, ...informers.running];
    this.#fail(new Error(`stop within ${stopGraceMs / 1000} s: still running: ${names.join(", ")}`));
  }

  #fail(error: unknown): void {
    this.#failures.push(error);
    this.#log.error({ error }, "a part failed, stopping all");
    this.#stop.abort(error);
  }

  #checkInformers(): void {
    const behind = [...this.#informers.values()].filter(({ synced }) => !synced).length;
    if (behind > 0) throw new Error(`${behind} of ${this.#informers.size} informers not synced`);
  }
}
