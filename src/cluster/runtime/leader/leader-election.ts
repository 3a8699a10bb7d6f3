import { isAlreadyExists, isConflict } from "../../kube/api-error.ts";
import { equal } from "../../../language/object/json.ts";
import { type Clock, pause, systemClock } from "../clock.ts";
import { LeaderGate, LeadershipLostError } from "./leader-gate.ts";
import { type Lease, type LeaseSpec, type LeaseStore, microTime } from "./lease.ts";
import { type Log, noLog } from "../log/log.ts";
import { type Gauge, type Metrics, noMetrics } from "../metrics/metrics.ts";

export interface LeaderElectionOptions {
  /** Of this candidate, different for each process: `<host>_<uuid>`. */
  identity: string;
  lease: LeaseStore;
  /** Label of the metric. Default: the identity. */
  name?: string | undefined;
  /** How long the others wait since they last saw the lease change. Default 15 s. */
  leaseDurationMs?: number | undefined;
  /** How long we act without having renewed. Default 10 s; must be below leaseDurationMs. */
  renewDeadlineMs?: number | undefined;
  /** Between two tries. Default 2 s; must be below renewDeadlineMs. */
  retryPeriodMs?: number | undefined;
  /** Give the lease back on a stop, so that the next leader need not wait. Default true. */
  releaseOnStop?: boolean | undefined;
  onNewLeader?: ((identity: string) => void) | undefined;
  /** Asked before each try to become the leader: false waits for the next. Default: always. */
  mayLead?: (() => Promise<boolean>) | undefined;
  clock?: Clock | undefined;
  /** Between 0 and 1: keeps candidates from trying at the same moments. */
  random?: (() => number) | undefined;
  log?: Log | undefined;
  metrics?: Metrics | undefined;
}

/**
 * One leader at a time, by a Lease. Every duration is measured on our own monotonic clock: ours from the moment before
 * a renewal is sent, another's from the moment we saw it change. Time stamps in the Lease are for people to read.
 */
export class LeaderElection {
  readonly gate: LeaderGate;
  readonly identity: string;
  readonly #options: LeaderElectionOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #status: Gauge;
  readonly #leaseDurationMs: number;
  readonly #renewDeadlineMs: number;
  readonly #retryPeriodMs: number;
  #seen: { lease: Lease; at: number } | undefined;
  #leader: string | undefined;

  constructor(options: LeaderElectionOptions) {
    const { identity, name = identity, clock = systemClock, log = noLog, metrics = noMetrics } = options;
    const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2_000 } = options;
    if (!(leaseDurationMs > renewDeadlineMs && renewDeadlineMs > retryPeriodMs && retryPeriodMs > 0))
      throw new Error("elect a leader: need lease duration > renew deadline > retry period > 0");
    this.identity = identity;
    this.#options = options;
    this.#clock = clock;
    this.#log = log.child({ identity });
    this.#leaseDurationMs = leaseDurationMs;
    this.#renewDeadlineMs = renewDeadlineMs;
    this.#retryPeriodMs = retryPeriodMs;
    this.gate = new LeaderGate(clock);
    this.#status = metrics
      .gauge("leader_election_master_status", "1 where this process leads, else 0.", ["name"])
      .labels({ name });
  }

  /** Who leads, as far as we know. */
  get leader(): string | undefined {
    return this.#leader;
  }

  /**
   * Waits until we lead, then runs `work` and holds the lease until it ends; after that gives the lease back.
   * `work`'s signal aborts when `signal` does, or when the lease is lost. Losing it rejects with LeadershipLostError.
   */
  async lead(signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (!(await this.#acquire(signal))) return;
    this.#log.info({}, "started leading");
    this.#status.set(1);
    const working = new AbortController();
    const stop = (): void => working.abort(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    const over = new AbortController();
    const renewed = this.#renew(over.signal).catch((error: unknown) => {
      working.abort(error);
      throw error;
    });
    try {
      if (signal.aborted) stop();
      // Renewing goes on while the work winds down after a stop: it still writes.
      const worked = work(working.signal).finally(() => over.abort());
      const [result, renewal] = await Promise.allSettled([worked, renewed]);
      if (renewal.status === "rejected") throw renewal.reason;
      if (result.status === "rejected") throw result.reason;
    } finally {
      signal.removeEventListener("abort", stop);
      const held = this.gate.open;
      this.gate.close();
      this.#status.set(0);
      this.#log.info({}, "stopped leading");
      if (held && (this.#options.releaseOnStop ?? true)) await this.#release();
    }
  }

  /** Whether we lead; false when the signal came first. */
  async #acquire(signal: AbortSignal): Promise<boolean> {
    const { random = Math.random } = this.#options;
    while (!signal.aborted) {
      if ((await this.#mayLead()) && (await this.#try({ renewing: false }))) return true;
      // The Go client's jitter: up to 2.2 times the period.
      await pause(this.#clock, this.#retryPeriodMs * (1 + 1.2 * random()), signal);
    }
    return false;
  }

  async #mayLead(): Promise<boolean> {
    try {
      return (await this.#options.mayLead?.()) ?? true;
    } catch (error) {
      this.#log.warn({ error }, "could not find out whether to lead");
      return false;
    }
  }

  /** Renews until the signal; rejects as soon as the deadline passes, even if a request hangs. */
  async #renew(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const attempt = new AbortController();
      await Promise.race([this.#renewOnce(signal, attempt), pause(this.#clock, this.gate.openMs, attempt.signal)]);
      attempt.abort();
      if (!signal.aborted && !this.gate.open) {
        this.gate.close();
        throw new LeadershipLostError(`hold the lease: not renewed within ${this.#renewDeadlineMs / 1000} s`);
      }
    }
  }

  /** A wait and a try. */
  async #renewOnce(signal: AbortSignal, attempt: AbortController): Promise<void> {
    await pause(this.#clock, this.#retryPeriodMs, signal);
    if (signal.aborted || attempt.signal.aborted) return;
    if (!(await this.#try({ renewing: true })) && this.#holder() !== this.identity) this.gate.close();
  }

  /** One round trip or two: whether the lease is ours now. A failure is logged and counts as no. */
  async #try({ renewing }: { renewing: boolean }): Promise<boolean> {
    const startedAt = this.#clock.monotonic();
    const timeoutMs = this.#renewDeadlineMs / 2;
    const took = (lease: Lease): boolean => {
      this.#observe(lease);
      const mayStartUntil = startedAt + this.#renewDeadlineMs;
      // Once lost, a term stays lost, even if an answer comes after all.
      if ((renewing && !this.gate.open) || this.#clock.monotonic() >= mayStartUntil) return false;
      this.gate.extend(mayStartUntil, startedAt + this.#leaseDurationMs);
      return true;
    };
    try {
      // Who leads knows the lease: one request instead of two. A conflict says that it changed after all.
      if (renewing && this.#seen && this.#holder() === this.identity) {
        try {
          return took(await this.#options.lease.update(this.#renewal(this.#seen.lease), { timeoutMs }));
        } catch (error) {
          if (!isConflict(error)) throw error;
        }
      }
      const current = await this.#options.lease.get({ timeoutMs });
      if (!current) return took(await this.#options.lease.create(this.#spec(undefined), { timeoutMs }));
      this.#observe(current);
      if (this.#isTaken()) return false;
      return took(await this.#options.lease.update(this.#renewal(current), { timeoutMs }));
    } catch (error) {
      if (isConflict(error) || isAlreadyExists(error)) this.#log.debug({}, "another candidate was faster");
      else this.#log.warn({ error }, "could not reach the lease");
      return false;
    }
  }

  #observe(lease: Lease): void {
    const changed = !equal(this.#seen?.lease.spec, lease.spec);
    this.#seen = { lease, at: changed || !this.#seen ? this.#clock.monotonic() : this.#seen.at };
    const holder = this.#holder();
    if (holder === this.#leader || holder === undefined) return;
    this.#leader = holder;
    this.#log.info({ leader: holder }, "new leader");
    this.#options.onNewLeader?.(holder);
  }

  #holder(): string | undefined {
    return this.#seen?.lease.spec?.holderIdentity || undefined;
  }

  /** Held by another whose time, counted from when we saw the last change, is not over. */
  #isTaken(): boolean {
    const holder = this.#holder();
    if (!this.#seen || holder === undefined || holder === this.identity) return false;
    const seconds = this.#seen.lease.spec?.leaseDurationSeconds;
    const durationMs = seconds === undefined ? this.#leaseDurationMs : seconds * 1000;
    return this.#clock.monotonic() < this.#seen.at + durationMs;
  }

  #renewal(lease: Lease): Lease {
    return { ...lease, spec: { ...lease.spec, ...this.#spec(lease.spec) } };
  }

  #spec(before: LeaseSpec | undefined): LeaseSpec {
    const now = microTime(this.#clock.now());
    const mine = before?.holderIdentity === this.identity;
    return {
      holderIdentity: this.identity,
      leaseDurationSeconds: Math.ceil(this.#leaseDurationMs / 1000),
      acquireTime: (mine ? before.acquireTime : undefined) ?? now,
      renewTime: now,
      leaseTransitions: before ? (before.leaseTransitions ?? 0) + (mine ? 0 : 1) : 0,
    };
  }

  /** Leaves the lease with nobody in it, so that whoever looks next may take it at once. */
  async #release(): Promise<void> {
    if (!this.#seen || this.#holder() !== this.identity) return;
    const { lease } = this.#seen;
    const now = microTime(this.#clock.now());
    const { holderIdentity: _, ...rest } = lease.spec ?? {};
    const spec = { ...rest, leaseDurationSeconds: 1, acquireTime: now, renewTime: now };
    try {
      const released = await this.#options.lease.update({ ...lease, spec }, { timeoutMs: this.#renewDeadlineMs / 2 });
      this.#observe(released);
    } catch (error) {
      this.#log.warn({ error }, "could not release the lease; it will run out");
    }
  }
}
