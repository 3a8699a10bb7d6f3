import { isAlreadyExists, isConflict } from "../../kube/api-error.ts";
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
  /** How long other candidates wait after they last saw the lease change. Default 15 s. */
  leaseDurationMs?: number | undefined;
  /** How long this process keeps leading without a renewal. Default 10 s; must be below leaseDurationMs. */
  renewDeadlineMs?: number | undefined;
  /** Between two attempts. Default 2 s; must be below renewDeadlineMs. */
  retryPeriodMs?: number | undefined;
  /** Release the lease on a stop, so that the next leader need not wait. Default true. */
  releaseOnStop?: boolean | undefined;
  onNewLeader?: ((identity: string) => void) | undefined;
  /** Called before each attempt to become the leader: false skips the attempt. Default: always true. */
  mayLead?: (() => Promise<boolean>) | undefined;
  clock?: Clock | undefined;
  /** Between 0 and 1: keeps candidates from trying at the same time. */
  random?: (() => number) | undefined;
  log?: Log | undefined;
  metrics?: Metrics | undefined;
}

/**
 * One leader at a time, by a Lease. Every duration is measured on the local monotonic clock: our own term from the moment
 * before a renewal is sent, another candidate's from the moment we saw the Lease change. No decision uses the time stamps
 * in the Lease.
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
    const { random = Math.random } = this.#options;
    while (!signal.aborted) {
      if ((await this.#mayLead()) && (await this.#try({ renewing: false }))) return true;
      // client-go's jitter: up to 2.2 times the period.
      await pause(this.#clock, this.#retryPeriodMs * (1 + 1.2 * random()), signal);
    }
    return false;
  }

  async #mayLead(): Promise<boolean> {
    try {
      return (await this.#options.mayLead?.()) ?? true;
    } catch (error) {
      this.#log.warn({ error }, "could not determine whether this process may lead");
      return false;
    }
  }

  /** Renews until the signal aborts; rejects as soon as the deadline passes, even if a request hangs. */
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

  /** Waits, then tries once. */
  async #renewOnce(signal: AbortSignal, attempt: AbortController): Promise<void> {
    await pause(this.#clock, this.#retryPeriodMs, signal);
    if (signal.aborted || attempt.signal.aborted) return;
    if (!(await this.#try({ renewing: true })) && this.#holder() !== this.identity) this.gate.close();
  }

  /** Whether this process holds the lease now, after one or two requests. A failure is logged and counts as no. */
  async #try({ renewing }: { renewing: boolean }): Promise<boolean> {
    const startedAt = this.#clock.monotonic();
    const timeoutMs = this.#renewDeadlineMs / 2;
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
          if (!isConflict(error)) throw error;
        }
      }
      const current = await this.#options.lease.get({ timeoutMs });
      if (!current) return acquired(await this.#options.lease.create(this.#spec(undefined), { timeoutMs }));
      this.#observe(current);
      if (this.#isTaken()) return false;
      return acquired(await this.#options.lease.update(this.#renewal(current), { timeoutMs }));
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

  /** Held by another candidate, and its duration since we saw the last change has not passed. */
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

  /** Removes the holder from the lease, so that the next candidate can take it at once. */
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
      this.#log.warn({ error }, "could not release the lease; it will expire");
    }
  }
}
