import type { Clock } from "../../../../cluster/runtime/clock.ts";

/** A wish that nothing came of: an event was missed, or the object came and went unseen. */
const forgottenAfterMs = 5 * 60_000;

interface Expected {
  creations: number;
  readonly deletions: Set<string>;
  readonly since: number;
}

/**
 * What a controller has asked for and its cache does not show yet. Until it does, counting pods in the cache would make
 * or delete them twice.
 */
export class Expectations {
  readonly #clock: Clock;
  readonly #expected = new Map<string, Expected>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Before the requests are sent: an event may be here sooner than the answer. */
  expectCreations(key: string, count: number): void {
    if (count > 0) this.#of(key).creations += count;
  }

  expectDeletions(key: string, uids: Iterable<string>): void {
    for (const uid of uids) this.#of(key).deletions.add(uid);
  }

  /** Seen in the cache, or never to be seen since the request failed. */
  creationObserved(key: string): void {
    const expected = this.#expected.get(key);
    if (!expected || expected.creations === 0) return;
    expected.creations--;
    this.#dropIfMet(key, expected);
  }

  deletionObserved(key: string, uid: string): void {
    const expected = this.#expected.get(key);
    if (expected?.deletions.delete(uid)) this.#dropIfMet(key, expected);
  }

  /** The uid of each deletion that is not seen yet. */
  deletions(key: string): ReadonlySet<string> {
    return this.#expected.get(key)?.deletions ?? new Set();
  }

  /** Whether the cache shows all that was asked for. */
  met(key: string): boolean {
    return this.waitMs(key) === undefined;
  }

  /** How long until waiting is given up; undefined when there is nothing to wait for. */
  waitMs(key: string): number | undefined {
    const expected = this.#expected.get(key);
    if (!expected) return undefined;
    const left = expected.since + forgottenAfterMs - this.#clock.monotonic();
    if (left > 0) return left;
    this.#expected.delete(key);
    return undefined;
  }

  forget(key: string): void {
    this.#expected.delete(key);
  }

  #of(key: string): Expected {
    let expected = this.#expected.get(key);
    if (!expected) {
      expected = { creations: 0, deletions: new Set(), since: this.#clock.monotonic() };
      this.#expected.set(key, expected);
    }
    return expected;
  }

  #dropIfMet(key: string, { creations, deletions }: Expected): void {
    if (creations === 0 && deletions.size === 0) this.#expected.delete(key);
  }
}
