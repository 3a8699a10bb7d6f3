import { findCondition } from "../../../../language/object/condition.ts";
import type { Clock } from "../../../../cluster/runtime/clock.ts";
import type { Lease } from "../../../../cluster/runtime/leader/lease.ts";
import type { Node } from "../workload-objects.ts";

interface SignOfLife {
  renewTime?: string | undefined;
  heartbeat?: string;
  at: number;
}

/** When each node last gave a sign of life, on our own clock: the clocks of nodes may be wrong. */
export class Heartbeats {
  readonly #clock: Clock;
  readonly #signs = new Map<string, SignOfLife>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Time since the last sign of life; for a node without any, since the first call. */
  silentMs(name: string): number {
    return this.#clock.monotonic() - this.#of(name).at;
  }

  lease({ metadata, spec }: Lease): void {
    const last = this.#of(metadata.name ?? "");
    if (last.renewTime !== spec?.renewTime) last.at = this.#clock.monotonic();
    last.renewTime = spec?.renewTime;
  }

  /** The Unknown status is this controller's own, and no sign of life. */
  status({ metadata, status }: Node): void {
    const last = this.#of(metadata.name ?? "");
    const ready = findCondition(status?.conditions, "Ready");
    if (!ready || ready.status === "Unknown") return;
    const heartbeat = `${ready.lastHeartbeatTime} ${ready.lastTransitionTime} ${ready.status}`;
    if (last.heartbeat !== heartbeat) last.at = this.#clock.monotonic();
    last.heartbeat = heartbeat;
  }

  forget(name: string): void {
    this.#signs.delete(name);
  }

  #of(name: string): SignOfLife {
    let last = this.#signs.get(name);
    if (!last) this.#signs.set(name, (last = { at: this.#clock.monotonic() }));
    return last;
  }
}
