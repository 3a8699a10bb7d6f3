import { internal, StatusError } from "../status-error.ts";
import type { Entry } from "../storage/store.ts";

export type EventType = "ADDED" | "MODIFIED" | "DELETED";

export interface ObjectEvent {
  readonly type: EventType;
  readonly entry: Entry;
}

export type WatchEvent =
  | ObjectEvent
  | { readonly type: "BOOKMARK"; readonly revision: number; readonly initialEventsEnd: boolean };

/** Events that can be computed once their objects are converted. */
export interface PendingEvents {
  /** What must be converted first. */
  readonly entries: () => readonly Entry[];
  readonly events: () => readonly WatchEvent[];
}

export interface ConvertedEventsOptions {
  /** Converts entries: before they are selected, and before they are shown. */
  readonly ready: (entries: readonly Entry[], to: "select" | "show") => Promise<unknown> | undefined;
  readonly send: (events: readonly WatchEvent[]) => void;
  readonly fail: (error: StatusError) => void;
}

/** More than this in the queue means that the webhook does not keep up. */
const maxWaitingBytes = 32 * 1024 * 1024;

/**
 * The events of a watch on objects that a webhook converts, in order. Events that arrive during a call to the webhook
 * are batched into the next call.
 */
export class ConvertedEvents {
  readonly #options: ConvertedEventsOptions;
  #queue: PendingEvents[] = [];
  #waitingBytes = 0;
  #state: "idle" | "busy" | "closed" = "idle";

  constructor(options: ConvertedEventsOptions) {
    this.#options = options;
  }

  add(pending: PendingEvents): void {
    if (this.#state === "closed") return;
    this.#queue.push(pending);
    if (this.#state === "idle") return void this.#run();
    for (const { bytes } of pending.entries()) this.#waitingBytes += bytes.length;
    if (this.#waitingBytes > maxWaitingBytes) this.#fail(internal("the conversion webhook does not keep up"));
  }

  close(): void {
    this.#state = "closed";
    this.#queue = [];
  }

  async #run(): Promise<void> {
    this.#state = "busy";
    try {
      while (this.#queue.length > 0) {
        const batch = this.#queue;
        this.#queue = [];
        this.#waitingBytes = 0;
        await this.#pass(batch);
      }
      if (!this.#isClosed()) this.#state = "idle";
    } catch (error) {
      this.#fail(error instanceof StatusError ? error : internal(String(error), { cause: error }));
    }
  }

  async #pass(batch: readonly PendingEvents[]): Promise<void> {
    const { ready, send } = this.#options;
    const selecting = ready(
      batch.flatMap(({ entries }) => entries()),
      "select",
    );
    if (selecting) await selecting;
    const events = batch.flatMap((pending) => pending.events());
    const showing = ready(
      events.flatMap((event) => (event.type === "BOOKMARK" ? [] : [event.entry])),
      "show",
    );
    if (showing) await showing;
    if (!this.#isClosed()) send(events);
  }

  #fail(error: StatusError): void {
    if (this.#isClosed()) return;
    this.close();
    this.#options.fail(error);
  }

  #isClosed(): boolean {
    return this.#state === "closed";
  }
}
