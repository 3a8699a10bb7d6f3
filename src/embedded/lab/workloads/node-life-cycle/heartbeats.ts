import { findCondition } from "../../../../language/object/condition.ts";
import type { Clock } from "../../../../cluster/runtime/clock.ts";
import type { Lease } from "../../../../cluster/runtime/leader/lease.ts";
import type { Node } from "../workload-objects.ts";

interface Heard {
  renewTime?: string | undefined;
  heartbeat?: string;
  at: number;
}

/** When each node was last heard of, on our own clock: those of the nodes may be wrong. */
export class Heartbeats {
  readonly #clock: Clock;
  readonly #heard = new Map<string, Heard>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** For how long nothing was heard. A node that was never heard of counts from the first question. */
  silentMs(name: string): number {
    return this.#clock.monotonic() - this.#of(name).at;
  }

  lease({ metadata, spec }: Lease): void {
    const heard = this.#of(metadata.name ?? "");
    if (heard.renewTime !== spec?.renewTime) heard.at = this.#clock.monotonic();
    heard.renewTime = spec?.renewTime;
  }

  /** What we wrote ourselves, that nothing is known, is no sign of life. */
  status({ metadata, status }: Node): void {
    const heard = this.#of(metadata.name ?? "");
    const ready = findCondition(status?.conditions, "Ready");
    if (!ready || ready.status === "Unknown") return;
    const heartbeat = `${ready.lastHeartbeatTime} ${ready.lastTransitionTime} ${ready.status}`;
    if (heard.heartbeat !== heartbeat) heard.at = this.#clock.monotonic();
    heard.heartbeat = heartbeat;
  }

  forget(name: string): void {
    this.#heard.delete(name);
  }

  #of(name: string): Heard {
    let heard = this.#heard.get(name);
    if (!heard) this.#heard.set(name, (heard = { at: this.#clock.monotonic() }));
    return heard;
  }
}
