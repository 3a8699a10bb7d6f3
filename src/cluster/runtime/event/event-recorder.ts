import type { KubeObject } from "../../../language/object/meta.ts";
import type { PlannedEvent } from "../../../language/object/plan.ts";
import { isAlreadyExists, isApiError, isNotFound } from "../../kube/api-error.ts";
import type { Client } from "../../kube/client.ts";
import { kinds } from "../../kube/kinds.ts";
import { type Clock, pause, systemClock, whenAborted } from "../clock.ts";
import { type Log, noLog } from "../log/log.ts";
import { OrderedSet } from "../queue/ordered-set.ts";
import { EventCorrelator, type Occurrence } from "./event-correlator.ts";

export interface EventRecorderOptions {
  client: Client;
  /** `source.component` of the events. */
  component: string;
  /** `source.host` of the events: the node, for an agent. */
  host?: string | undefined;
  clock?: Clock | undefined;
  log?: Log | undefined;
  random?: (() => number) | undefined;
  /** How many events, groups of similar events and objects are remembered for counting. Default 4,096 each. */
  remembered?: number | undefined;
  /** Events in the write queue; further ones are dropped. Default 1,000. */
  waiting?: number | undefined;
}

const longestMessage = 1024;
const retryMs = 10_000;
const tries = 12;

/** Writes Events about objects. `record` never fails and never waits; a background loop writes. */
export class EventRecorder {
  readonly name = "event recorder";
  readonly #options: EventRecorderOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #correlator: EventCorrelator;
  /** Occurrences to write. One that repeats while it waits is written once. */
  readonly #waiting = new OrderedSet<Occurrence, true>();
  readonly #stop = new AbortController();
  #writing: Promise<void> | undefined;
  #named = 0;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#log = options.log ?? noLog;
    this.#correlator = new EventCorrelator(this.#clock, options.remembered);
  }

  record(event: PlannedEvent): void {
    if (this.#stop.signal.aborted) return;
    try {
      this.#note(event);
    } catch (error) {
      // A failure to record an event must not fail the caller.
      this.#log.error({ error, reason: event.reason }, "record event");
    }
  }

  /** Resolves when everything recorded so far is written or dropped. */
  async flush(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  /** Stops recording, tries once more to write the queue, and resolves. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.flush();
  }

  /** As a part of a Manager: stops with the process after writing the queue. */
  async run(signal: AbortSignal): Promise<void> {
    await whenAborted(signal);
    await this.stop();
  }

  #note(event: PlannedEvent): void {
    const { message } = event;
    const short = message.length > longestMessage ? `${message.slice(0, longestMessage - 1)}…` : message;
    const occurrence = this.#correlator.observe(short === message ? event : { ...event, message: short });
    if (!occurrence) return;
    if (this.#waiting.size >= (this.#options.waiting ?? 1000) && !this.#waiting.has(occurrence))
      return this.#log.debug({ reason: event.reason }, "event queue is full, dropped one");
    this.#waiting.push(occurrence, true);
    this.#writing ??= this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    // After everything else that the caller records in this turn.
    await Promise.resolve();
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) await this.#write(next.key);
    this.#writing = undefined;
  }

  async #write(occurrence: Occurrence): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#send(occurrence);
      } catch (error) {
        if (!isPassing(error) || attempt === tries || this.#stop.signal.aborted) {
          const { reason, regarding } = occurrence.event;
          this.#log.warn({ error, reason, kind: regarding.kind, object: regarding.metadata.name }, "event not written");
          return;
        }
        await pause(this.#clock, (isApiError(error) && error.retryAfterMs) || retryMs, this.#stop.signal);
      }
    }
  }

  async #send(occurrence: Occurrence): Promise<void> {
    const { client } = this.#options;
    // Events of cluster-scoped objects are in namespace default, where kubectl looks for them.
    const namespace = occurrence.event.regarding.metadata.namespace ?? "default";
    if (occurrence.storedAs !== undefined) {
      const { count, message } = occurrence;
      const patch = { count, message, lastTimestamp: this.#timestamp(occurrence.lastAt) };
      try {
        await client.patch(kinds.event, occurrence.storedAs, { type: "merge", patch }, { namespace });
        return;
      } catch (error) {
        // kube-apiserver deletes events after an hour.
        if (!isNotFound(error)) throw error;
      }
    }
    for (;;) {
      const name = this.#name(occurrence);
      try {
        await client.create(kinds.event, this.#body(occurrence, name, namespace), { namespace });
        occurrence.storedAs = name;
        return;
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
    }
  }

  #body({ event, message, count, firstAt, lastAt }: Occurrence, name: string, namespace: string): KubeObject {
    const { component, host } = this.#options;
    const { apiVersion, kind, metadata } = event.regarding;
    return {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name, namespace },
      involvedObject: { apiVersion, kind, name: metadata.name, namespace: metadata.namespace, uid: metadata.uid },
      type: event.type,
      reason: event.reason,
      message,
      count,
      firstTimestamp: this.#timestamp(firstAt),
      lastTimestamp: this.#timestamp(lastAt),
      source: host ? { component, host } : { component },
      reportingComponent: component,
      reportingInstance: host ?? "",
    };
  }

  /** The wall time, in seconds, of a moment on the monotonic clock. */
  #timestamp(at: number): string {
    const wall = this.#clock.now() - (this.#clock.monotonic() - at);
    return new Date(wall).toISOString().replace(/\.\d+Z$/, "Z");
  }

  /** `<object>.<hex>`, as client-go names events. The hex number is nanoseconds, so that processes do not collide. */
  #name({ event }: Occurrence): string {
    const { random = Math.random } = this.#options;
    const nanos =
      BigInt(Math.floor(this.#clock.now())) * 1_000_000n +
      BigInt(Math.floor(random() * 999_000) + (this.#named++ % 1000));
    const suffix = nanos.toString(16);
    // Names of roles may contain characters that names of Events may not.
    const object = (event.regarding.metadata.name ?? "")
      .toLowerCase()
      .replace(/[^a-z0-9.-]/g, "-")
      .slice(0, 253 - suffix.length - 1)
      .replace(/^[.-]+|[.-]+$/g, "");
    return `${object || "object"}.${suffix}`;
  }
}

/** May go away by itself: no answer, too many requests, the server's own fault. */
function isPassing(error: unknown): boolean {
  return isApiError(error) && (error.code === 0 || error.code === 429 || error.code >= 500);
}
