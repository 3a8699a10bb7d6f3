import type { Informer } from "../../../cluster/kube/cache.ts";
import type { Clock } from "../../../cluster/runtime/clock.ts";
import type { Lease } from "../../../cluster/runtime/leader/lease.ts";

/**
 * Whether another process holds a Lease and keeps renewing it. Time counts on our own clock from the last change seen: a
 * Lease that is seen for the first time may have been renewed just now.
 */
export class LeaseObserver {
  readonly #leases: Informer<Lease>;
  readonly #name: string;
  readonly #clock: Clock;
  readonly #listeners = new Set<() => void>();
  #seen: { spec: Lease["spec"]; at: number } | undefined;
  #holder: string | undefined;
  #cancel: () => void = () => {};

  constructor(leases: Informer<Lease>, name: string, clock: Clock) {
    this.#leases = leases;
    this.#name = name;
    this.#clock = clock;
  }

  /** The process that holds the Lease; `undefined` if none does. */
  get holder(): string | undefined {
    return this.#holder;
  }

  /** Called whenever `holder` changes. Returns how to stop. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Observes from the first list on. Returns how to stop. */
  async start(signal: AbortSignal): Promise<() => void> {
    await this.#leases.whenSynced(signal);
    const end = this.#leases.subscribe((event) => {
      if (event.object.metadata.name !== this.#name) return;
      this.#observe(event.type === "deleted" ? undefined : event.object);
    });
    return () => {
      end();
      this.#cancel();
    };
  }

  #observe(lease: Lease | undefined): void {
    const changed = this.#seen?.spec?.renewTime !== lease?.spec?.renewTime;
    const at = this.#seen && !changed ? this.#seen.at : this.#clock.monotonic();
    this.#seen = lease && { spec: lease.spec, at };
    this.#update();
  }

  #update(): void {
    this.#cancel();
    const { spec, at = 0 } = this.#seen ?? {};
    const leftMs = at + (spec?.leaseDurationSeconds ?? 15) * 1000 - this.#clock.monotonic();
    const holder = leftMs > 0 ? spec?.holderIdentity || undefined : undefined;
    if (holder) this.#cancel = this.#clock.after(leftMs, () => this.#update());
    if (holder === this.#holder) return;
    this.#holder = holder;
    for (const listener of Array.from(this.#listeners)) listener();
  }
}
