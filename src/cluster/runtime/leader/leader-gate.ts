import type { Client, RequestOptions } from "../../kube/client.ts";
import type { Clock } from "../clock.ts";

export class LeadershipLostError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "LeadershipLostError";
  }
}

/** Until when this process may send requests. Checked before each, so that it holds even if timers are late or the process slept. */
export class LeaderGate {
  readonly #clock: Clock;
  #mayStartUntil = -Infinity;
  #mustEndBy = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get open(): boolean {
    return this.openMs > 0;
  }

  /** Milliseconds during which requests may still start. */
  get openMs(): number {
    return this.#mayStartUntil - this.#clock.monotonic();
  }

  /** Milliseconds until another candidate may lead; no request may last longer. */
  get remainingMs(): number {
    return this.#mustEndBy - this.#clock.monotonic();
  }

  /** Throws unless this process leads. */
  check(): void {
    if (!this.open) throw new LeadershipLostError("start a request: this process no longer holds the lease");
  }

  /** Moves the times later, never earlier: a late response must not shorten a newer term. */
  extend(mayStartUntil: number, mustEndBy: number): void {
    this.#mayStartUntil = Math.max(this.#mayStartUntil, mayStartUntil);
    this.#mustEndBy = Math.max(this.#mustEndBy, mustEndBy);
  }

  close(): void {
    this.#mayStartUntil = -Infinity;
    this.#mustEndBy = -Infinity;
  }
}

/**
 * The client with every call behind the gate: no request starts after the lease is lost, and no running request is
 * awaited for longer than the lease lasts.
 */
export function leadersOnly(client: Client, gate: LeaderGate): Client {
  const bounded = <O extends RequestOptions>(options: O | undefined): O => {
    const remainingMs = Math.max(1, Math.floor(gate.remainingMs));
    return { ...options, timeoutMs: Math.min(options?.timeoutMs ?? Infinity, remainingMs) } as O;
  };
  return {
    async get(of, name, options) {
      gate.check();
      return client.get(of, name, bounded(options));
    },
    async list(of, options) {
      gate.check();
      return client.list(of, bounded(options));
    },
    async create(of, object, options) {
      gate.check();
      return client.create(of, object, bounded(options));
    },
    async update(of, object, options) {
      gate.check();
      return client.update(of, object, bounded(options));
    },
    async patch(of, name, patch, options) {
      gate.check();
      return client.patch(of, name, patch, bounded(options));
    },
    async delete(of, name, options) {
      gate.check();
      return client.delete(of, name, bounded(options));
    },
    async *watch(of, options) {
      gate.check();
      yield* client.watch(of, options);
    },
    async raw(method, path, body, options) {
      gate.check();
      return client.raw(method, path, body, bounded(options));
    },
  };
}
