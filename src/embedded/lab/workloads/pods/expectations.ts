import type { Clock } from "../../../../cluster/runtime/clock.ts";

/** An expectation is given up then: the cache may never show an object that was deleted at once. */
const forgottenAfterMs = 5 * 60_000;

interface Expected {
  creations: number;
  readonly deletions: Set<string>;
  readonly since: number;
}

/**
 * Creations and deletions of a controller that its cache does not show yet. Until it does, the controller would count too
 * few or too many pods, and create or delete them twice.
 */
export class Expectations {
  readonly #clock: Clock;
  readonly #expected = new Map<string, Expected>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** To be called before the requests: an event may arrive before the response. */
  expectCreations(key: string, count: number): void {
    if (count > 0) this.#of(key).creations += count;
  }

  expectDeletions(key: string, uids: Iterable<string>): void {
    for (const uid of uids) this.#of(key).deletions.add(uid);
  }

  /** The cache shows it, or never will since the request failed. */
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

  /** The uids of deletions that the cache does not show yet. */
  deletions(key: string): ReadonlySet<string> {
    return this.#expected.get(key)?.deletions ?? new Set();
  }

  /** Whether the cache shows all creations and deletions. */
  met(key: string): boolean {
    return this.waitMs(key) === undefined;
  }

  /** Milliseconds until the expectations are given up; undefined when there are none. */
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
