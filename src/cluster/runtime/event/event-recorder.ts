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
  /** Who reports: `source.component` of the events. */
  component: string;
  /** The node it runs on, where that says something. */
  host?: string | undefined;
  clock?: Clock | undefined;
  log?: Log | undefined;
  random?: (() => number) | undefined;
  /** Events, kinds of events and objects that are remembered for counting. Default 4,096 each. */
  remembered?: number | undefined;
  /** Events that wait to be written; further ones are dropped. Default 1,000. */
  waiting?: number | undefined;
}

const longestMessage = 1024;
const retryMs = 10_000;
const tries = 12;

/** Writes Events about objects. Recording never fails and never waits; writing goes on behind it. */
export class EventRecorder {
  readonly name = "event recorder";
  readonly #options: EventRecorderOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #correlator: EventCorrelator;
  /** Occurrences whose Event is behind. One that happens again while it waits is written once. */
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
      // An event tells of the work; it must not fail it.
      this.#log.error({ error, reason: event.reason }, "record event");
    }
  }

  /** Resolves when what was recorded so far is written or given up. */
  async flush(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  /** Records no more, tries what waits once more, and resolves. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.flush();
  }

  /** As a part of a process: stops with it, and writes what waits before it ends. */
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
      return this.#log.debug({ reason: event.reason }, "too many events wait, dropped one");
    this.#waiting.push(occurrence, true);
    this.#writing ??= this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    // Behind the caller, and after whatever else it records in this turn.
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
    // A cluster's own objects have no namespace; their events live where kubectl looks for them.
    const namespace = occurrence.event.regarding.metadata.namespace ?? "default";
    if (occurrence.storedAs !== undefined) {
      const { count, message } = occurrence;
      const patch = { count, message, lastTimestamp: this.#timestamp(occurrence.lastAt) };
      try {
        await client.patch(kinds.event, occurrence.storedAs, { type: "merge", patch }, { namespace });
        return;
      } catch (error) {
        // Events are kept for an hour: ours may have gone meanwhile.
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

  /** Wall time, to the second, of a moment on the monotonic clock. */
  #timestamp(at: number): string {
    const wall = this.#clock.now() - (this.#clock.monotonic() - at);
    return new Date(wall).toISOString().replace(/\.\d+Z$/, "Z");
  }

  /** `<object>.<hex>`, the hex being nanoseconds: unlike for processes that name in the same millisecond. */
  #name({ event }: Occurrence): string {
    const { random = Math.random } = this.#options;
    const nanos =
      BigInt(Math.floor(this.#clock.now())) * 1_000_000n +
      BigInt(Math.floor(random() * 999_000) + (this.#named++ % 1000));
    const suffix = nanos.toString(16);
    // Names of roles may hold what a name of an Event may not.
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
