import type { PlannedEvent } from "../../../language/object/plan.ts";
import type { Clock } from "../clock.ts";
import { OrderedSet } from "../queue/ordered-set.ts";
import { TokenBucket } from "../queue/rate-limit.ts";

/** One Event object as it is, or should be, on the server. Changed in place. */
export interface Occurrence {
  readonly event: PlannedEvent;
  message: string;
  count: number;
  readonly firstAt: number;
  lastAt: number;
  /** Its name on the server, once it was created. */
  storedAs?: string | undefined;
}

/** An event that repeats after this time becomes a new Event object. */
const windowMs = 10 * 60_000;
/** Up to this many different messages of one reason get Event objects of their own. */
const mostSimilar = 10;
/** Events of one reason and object: 25 at once, then one every five minutes. In client-go many of one reason silence all others. */
const perReason = { burst: 25, perSecond: 1 / 300 };

/** Counts equal events, combines similar ones, and limits the events of one reason, as client-go's EventCorrelator does. */
export class EventCorrelator {
  readonly #clock: Clock;
  readonly #occurrences: Recent<Occurrence>;
  readonly #groups: Recent<{ messages: Set<string>; lastAt: number }>;
  readonly #buckets: Recent<TokenBucket>;

  constructor(clock: Clock, remembered = 4096) {
    this.#clock = clock;
    this.#occurrences = new Recent(remembered);
    this.#groups = new Recent(remembered);
    this.#buckets = new Recent(remembered);
  }

  /** The Event to write, or undefined when the limit of its reason is reached. */
  observe(event: PlannedEvent): Occurrence | undefined {
    const now = this.#clock.monotonic();
    const { apiVersion, kind, metadata } = event.regarding;
    const object = JSON.stringify([apiVersion, kind, metadata.namespace, metadata.name, metadata.uid]);
    const similar = `${object} ${JSON.stringify([event.type, event.reason])}`;
    const combined = this.#isOneOfMany(similar, event.message, now);
    const message = combined ? `(combined from similar events): ${event.message}` : event.message;
    const key = combined ? similar : `${similar} ${event.message}`;

    let occurrence = this.#occurrences.get(key);
    if (occurrence && now - occurrence.lastAt <= windowMs) {
      occurrence.count++;
      occurrence.lastAt = now;
      occurrence.message = message;
    } else {
      occurrence = { event, message, count: 1, firstAt: now, lastAt: now };
      this.#occurrences.set(key, occurrence);
    }

    let bucket = this.#buckets.get(similar);
    if (!bucket) this.#buckets.set(similar, (bucket = new TokenBucket(perReason, this.#clock)));
    return bucket.tryTake() ? occurrence : undefined;
  }

  #isOneOfMany(similar: string, message: string, now: number): boolean {
    let group = this.#groups.get(similar);
    if (!group || now - group.lastAt > windowMs) {
      group = { messages: new Set(), lastAt: now };
      this.#groups.set(similar, group);
    }
    group.lastAt = now;
    if (group.messages.size <= mostSimilar) group.messages.add(message);
    return group.messages.size > mostSimilar;
  }
}

/** A least-recently-used cache. */
class Recent<V> {
  readonly #entries = new OrderedSet<string, V>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: string, value: V): void {
    this.#entries.delete(key);
    this.#entries.push(key, value);
    if (this.#entries.size > this.#most) this.#entries.shift();
  }
}
