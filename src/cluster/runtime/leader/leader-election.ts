import { isAlreadyExists, isConflict, isNotFound } from "../../kube/api-error.ts";
import { isOlder } from "../../kube/cache.ts";
import { equal } from "../../../language/object/json.ts";
import { type Clock, pause, systemClock } from "../clock.ts";
import { LeaderGate, LeadershipLostError } from "./leader-gate.ts";
import { type Lease, type LeaseSpec, type LeaseStore, microTime } from "./lease.ts";
import { type Log, noLog } from "../log/log.ts";
import { type Gauge, type Metrics, noMetrics } from "../metrics/metrics.ts";

export interface LeaderElectionOptions {
  /** Identity of this candidate, different for each process: `<host>_<uuid>`. */
  identity: string;
  lease: LeaseStore;
  /** Label of the metric. Default: the identity. */
  name?: string | undefined;
  /** How long other candidates wait after they last saw the lease change. Default 20 s. */
  leaseDurationMs?: number | undefined;
  /** How long this process keeps leading without a renewal. Default 16 s; must be below leaseDurationMs. */
  renewDeadlineMs?: number | undefined;
  /** After a failed request. Default 2 s. */
  retryPeriodMs?: number | undefined;
  /** Release the lease on a stop, so that the next leader need not wait. Default true. */
  releaseOnStop?: boolean | undefined;
  onNewLeader?: ((identity: string) => void) | undefined;
  /** Awaited before each attempt to become the leader. It ends when this process may lead, or the signal aborts. */
  untilMayLead?: ((signal: AbortSignal) => Promise<void>) | undefined;
  clock?: Clock | undefined;
  /** Between 0 and 1: keeps candidates from trying at the same time. */
  random?: (() => number) | undefined;
  log?: Log | undefined;
  metrics?: Metrics | undefined;
}

/** A leader renews after this part of the lease duration: every 8 s, with time left for four more attempts. */
const renewalPart = 0.4;

/**
 * OpenShift's operators claim a Lease for at most 270 s. A user of the cluster who claims it for years, with one write, must not
 * stop an operator that long.
 */
const longestTermMs = 300_000;

/**
 * One leader at a time, by a Lease. Every duration is measured on the local monotonic clock: our own term from the moment
 * before a renewal is sent, another candidate's from the moment we saw the Lease change. No decision uses the time stamps
 * in the Lease. Candidates watch the Lease instead of polling it. Before they take it they read it, so that a late watch
 * delays a new leader but never makes two.
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
  readonly #renewPeriodMs: number;
  readonly #retryPeriodMs: number;
  /** Ends the current wait. */
  #wake: () => void = () => {};
  #seen: { lease: Lease; at: number } | undefined;
  #leader: string | undefined;

  constructor(options: LeaderElectionOptions) {
    const { identity, name = identity, clock = systemClock, log = noLog, metrics = noMetrics } = options;
    const { leaseDurationMs = 20_000, renewDeadlineMs = 16_000, retryPeriodMs = 2_000 } = options;
    const renewPeriodMs = leaseDurationMs * renewalPart;
    if (!(leaseDurationMs > renewDeadlineMs && renewDeadlineMs > renewPeriodMs + retryPeriodMs && retryPeriodMs > 0))
      throw new Error(
        `elect a leader: need lease duration > renew deadline > ${renewalPart} × lease duration + retry period, and retry period > 0`,
      );
    this.identity = identity;
    this.#options = options;
    this.#clock = clock;
    this.#log = log.child({ identity });
    this.#leaseDurationMs = leaseDurationMs;
    this.#renewDeadlineMs = renewDeadlineMs;
    this.#renewPeriodMs = renewPeriodMs;
    this.#retryPeriodMs = retryPeriodMs;
    this.gate = new LeaderGate(clock);
    this.#status = metrics
      .gauge("leader_election_master_status", "1 if this process is the leader, otherwise 0.", ["name"])
      .labels({ name });
  }

  /** The identity of the leader, as far as known. */
  get leader(): string | undefined {
    return this.#leader;
  }

  /**
   * Waits for the lease, runs `work` and renews the lease until `work` ends; then releases the lease. The signal of
   * `work` aborts when `signal` does, or when the lease is lost. Then `lead` rejects with LeadershipLostError.
   */
  async lead(signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const over = new AbortController();
    const following = this.#options.lease.follow((lease, isDeleted) => this.#notice(lease, isDeleted), over.signal);
    try {
      if (await this.#acquire(signal)) await this.#runTerm(signal, work);
    } finally {
      over.abort();
      await following;
    }
  }

  async #runTerm(signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
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
      // Renewing continues after a stop until the work has ended: it still writes.
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

  /** True when this process leads; false when the signal aborted first. */
  async #acquire(signal: AbortSignal): Promise<boolean> {
    const stop = (): void => this.#wake();
    signal.addEventListener("abort", stop);
    try {
      while (!signal.aborted) {
        await this.#options.untilMayLead?.(signal);
        if (signal.aborted) return false;
        if (await this.#try({ renewing: false })) return true;
        await this.#untilWorthAnAttempt(signal);
      }
      return false;
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  /** Waits until the lease is released, deleted or expired; after a failed request, for one retry period. */
  async #untilWorthAnAttempt(signal: AbortSignal): Promise<void> {
    const { random = Math.random } = this.#options;
    // client-go's jitter: up to 2.2 times the period.
    if (this.#takenMs() <= 0) return pause(this.#clock, this.#retryPeriodMs * (1 + 1.2 * random()), signal);
    while (!signal.aborted && this.#takenMs() > 0) {
      const wait = new AbortController();
      this.#wake = () => wait.abort();
      await pause(this.#clock, this.#takenMs(), wait.signal);
    }
  }

  /** Renews until the signal aborts; rejects as soon as the deadline passes, even if a request hangs. */
  async #renew(signal: AbortSignal): Promise<void> {
    for (let afterMs = this.#renewPeriodMs; !signal.aborted;) {
      const attempt = new AbortController();
      this.#wake = () => attempt.abort();
      const renewed = await Promise.race([
        this.#renewOnce(afterMs, signal, attempt.signal),
        pause(this.#clock, this.gate.openMs, attempt.signal),
      ]);
      attempt.abort();
      if (!signal.aborted && !this.gate.open) {
        this.gate.close();
        const why =
          this.#holder() === this.identity
            ? `not renewed within ${this.#renewDeadlineMs / 1000} s`
            : "it was deleted, or another candidate has it";
        throw new LeadershipLostError(`hold the lease: ${why}`);
      }
      afterMs = renewed ? this.#renewPeriodMs : this.#retryPeriodMs;
    }
  }

  /** Waits, then tries once. */
  async #renewOnce(afterMs: number, signal: AbortSignal, attempt: AbortSignal): Promise<boolean> {
    await pause(this.#clock, afterMs, signal);
    if (signal.aborted || attempt.aborted) return false;
    const renewed = await this.#try({ renewing: true });
    if (!renewed && this.#holder() !== this.identity) this.gate.close();
    return renewed;
  }

  /** Whether this process holds the lease now, after one or two requests. A failure is logged and counts as no. */
  async #try({ renewing }: { renewing: boolean }): Promise<boolean> {
    const startedAt = this.#clock.monotonic();
    const timeoutMs = this.#renewDeadlineMs / 4;
    const acquired = (lease: Lease): boolean => {
      this.#observe(lease);
      const mayStartUntil = startedAt + this.#renewDeadlineMs;
      // A lost term stays lost, even if a late response says otherwise.
      if ((renewing && !this.gate.open) || this.#clock.monotonic() >= mayStartUntil) return false;
      this.gate.extend(mayStartUntil, startedAt + this.#leaseDurationMs);
      return true;
    };
    try {
      // The leader knows the lease: one request instead of two. A conflict means that another client changed it.
      if (renewing && this.#seen && this.#holder() === this.identity) {
        try {
          return acquired(await this.#options.lease.update(this.#renewal(this.#seen.lease), { timeoutMs }));
        } catch (error) {
          if (isNotFound(error)) this.#seen = undefined;
          if (!isConflict(error)) throw error;
        }
      }
      const current = await this.#options.lease.get({ timeoutMs });
      if (!current) return acquired(await this.#options.lease.create(this.#spec(undefined), { timeoutMs }));
      this.#observe(current);
      if (this.#takenMs() > 0) return false;
      return acquired(await this.#options.lease.update(this.#renewal(current), { timeoutMs }));
    } catch (error) {
      if (isConflict(error) || isAlreadyExists(error)) this.#log.debug({}, "another candidate was faster");
      else this.#log.warn({ error }, "could not reach the lease");
      return false;
    }
  }

  /** A change that the watch reports. Any candidate may create a lease that was deleted. */
  #notice(lease: Lease, isDeleted: boolean): void {
    const { resourceVersion: seen = "" } = this.#seen?.lease.metadata ?? {};
    if (isOlder(lease.metadata.resourceVersion ?? "", seen)) return;
    if (isDeleted) this.#seen = undefined;
    else this.#observe(lease);
    const leads = this.gate.open;
    if (leads && this.#holder() === this.identity) return;
    if (leads) this.gate.close();
    this.#wake();
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

  /** How long another candidate still has the lease: its duration since we saw the last change. */
  #takenMs(): number {
    const holder = this.#holder();
    if (!this.#seen || holder === undefined || holder === this.identity) return 0;
    const seconds = this.#seen.lease.spec?.leaseDurationSeconds;
    const durationMs = seconds === undefined ? this.#leaseDurationMs : Math.min(seconds * 1000, longestTermMs);
    return this.#seen.at + durationMs - this.#clock.monotonic();
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

  /** Removes the holder from the lease, so that the next candidate can take it at once. */
  async #release(): Promise<void> {
    if (!this.#seen || this.#holder() !== this.identity) return;
    const { lease } = this.#seen;
    const now = microTime(this.#clock.now());
    const { holderIdentity: _, ...rest } = lease.spec ?? {};
    const spec = { ...rest, leaseDurationSeconds: 1, acquireTime: now, renewTime: now };
    try {
      const released = await this.#options.lease.update({ ...lease, spec }, { timeoutMs: this.#renewDeadlineMs / 4 });
      this.#observe(released);
    } catch (error) {
      this.#log.warn({ error }, "could not release the lease; it will expire");
    }
  }
}
