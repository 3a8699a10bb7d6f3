import type { EventType, WatchSink } from "../request/watch.ts";
import type { StatusError } from "../status-error.ts";
import type { Entry } from "../storage/store.ts";
import { cutOff, type HttpResponse } from "./exchange.ts";
import type { SlowWatch, WatchBudget } from "./watch-budget.ts";
import type { WatchFrames } from "./watch-frames.ts";

/** A client with more than this in its queue does not keep up: the server drops it, and it lists or resumes. */
const maxWaitingBytes = 32 * 1024 * 1024;

/** The size of one write. The connection encrypts it, and holds both until the client takes them. */
const chunkBytes = 64 * 1024;

/** A queued event. It is encoded when it is sent; until then it only refers to the stored object. */
interface Waiting {
  readonly entry?: Entry;
  readonly frame: () => readonly Buffer[];
  /** Whether the budget counts the object. */
  held: boolean;
}

/** Sends the events of one watch to one client, as fast as it takes them. */
export class WatchStream implements WatchSink, SlowWatch {
  readonly #response: HttpResponse;
  readonly #frames: WatchFrames;
  readonly #budget: WatchBudget;
  readonly #closed = new AbortController();
  #queue: Waiting[] = [];
  /** Encoded events, of which the connection takes one at a time. */
  #chunks: Buffer[] = [];
  /** The initial state of a watch may be larger than any limit and does not count. */
  #hasBegun = false;
  #heldBytes = 0;
  /** How many of the queue are held, or part of the initial state. */
  #settled = 0;
  /** Whether the connection takes more, must drain first, or is closed. */
  #state: "open" | "full" | "gone" = "open";
  /** The stream ends after what is queued. */
  #ending = false;

  constructor(response: HttpResponse, frames: WatchFrames, budget: WatchBudget) {
    this.#response = response;
    this.#frames = frames;
    this.#budget = budget;
    response.on("close", () => this.#goneBecause("the client closed the connection"));
    response.on("drain", () => this.#resume());
  }

  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  event(type: EventType, entry: Entry): void {
    this.#queue.push({ entry, frame: () => this.#frames.event(type, entry), held: false });
  }

  bookmark(revision: number, initialEventsEnd: boolean): void {
    this.#queue.push({ frame: () => [this.#frames.bookmark(revision, initialEventsEnd)], held: false });
  }

  ready(entries: readonly Entry[]): Promise<unknown> | undefined {
    return this.#frames.ready(entries);
  }

  error(error: StatusError): void {
    this.#queue.push({ frame: () => [this.#frames.error(error)], held: false });
  }

  flush(): void {
    if (this.#state === "gone") return;
    this.#start();
    this.#send();
    this.#hold();
    if (this.#heldBytes > maxWaitingBytes) this.drop("the client does not keep up");
  }

  end(): void {
    this.#ending = true;
    this.#closed.abort();
    this.flush();
  }

  readonly drop = (why: unknown): void => {
    this.#goneBecause(why);
    cutOff(this.#response);
  };

  /** Counts what the client did not take at once. */
  #hold(): void {
    for (; this.#settled < this.#queue.length; this.#settled++) {
      const waiting = this.#queue[this.#settled] as Waiting;
      if (!waiting.entry || !this.#hasBegun) continue;
      waiting.held = true;
      this.#heldBytes += waiting.entry.bytes.length;
      this.#budget.hold(this, waiting.entry);
    }
    this.#hasBegun = true;
    this.#budget.enforce();
  }

  #release(waiting: readonly Waiting[]): void {
    for (const { entry, held } of waiting) {
      if (!entry || !held) continue;
      this.#heldBytes -= entry.bytes.length;
      this.#budget.release(entry);
    }
    this.#settled = Math.max(0, this.#settled - waiting.length);
    if (this.#queue.length === 0) this.#budget.forget(this);
  }

  #send(): void {
    while (this.#state === "open") {
      const chunk = this.#nextChunk();
      if (!chunk) break;
      if (!this.#response.write(chunk)) this.#state = "full";
    }
    if (this.#ending && this.#queue.length + this.#chunks.length === 0 && this.#state !== "gone") {
      this.#state = "gone";
      this.#response.end();
    }
  }

  #nextChunk(): Buffer | undefined {
    if (this.#chunks.length === 0) this.#chunks = this.#encode();
    return this.#chunks.shift();
  }

  /** Small events are sent together; a large one is sent in parts, without a copy of its object. */
  #encode(): Buffer[] {
    let count = 0;
    let bytes = 0;
    for (; count < this.#queue.length && bytes < chunkBytes; count++)
      bytes += this.#queue[count]?.entry?.bytes.length ?? 0;
    const next = this.#queue.splice(0, count);
    this.#release(next);
    const parts = next.flatMap(({ frame }) => frame());
    if (parts.length <= 1 || bytes < 2 * chunkBytes) return parts.length <= 1 ? parts : [Buffer.concat(parts)];
    return parts.flatMap(inChunks);
  }

  #resume(): void {
    if (this.#state === "full") this.#state = "open";
    try {
      this.#send();
    } catch (error) {
      // No caller would catch this error: an object that cannot be shown ends the watch.
      this.drop(error);
    }
  }

  #start(): void {
    if (this.#response.headersSent) return;
    this.#response.writeHead(200, { "content-type": "application/json", "cache-control": "no-cache, private" });
    // A client without a first event must still see that the watch is established.
    if (this.#queue.length === 0 && "flushHeaders" in this.#response) this.#response.flushHeaders();
  }

  #goneBecause(why: unknown): void {
    this.#state = "gone";
    this.#chunks = [];
    const waiting = this.#queue;
    this.#queue = [];
    this.#release(waiting);
    this.#closed.abort(why);
  }
}

function inChunks(bytes: Buffer): Buffer[] {
  const chunks: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += chunkBytes) chunks.push(bytes.subarray(start, start + chunkBytes));
  return chunks;
}
