import type { EventType, WatchSink } from "../request/watch.ts";
import type { StatusError } from "../status-error.ts";
import type { Entry } from "../storage/store.ts";
import { cutOff, type HttpResponse } from "./exchange.ts";
import type { WatchFrames } from "./watch-frames.ts";

/** A client with more than this in its queue does not keep up: the server drops it, and it lists or resumes. */
const maxWaitingBytes = 32 * 1024 * 1024;

/** The size of one write. */
const chunkBytes = 256 * 1024;

/** A queued event. It is encoded when it is sent; until then it only refers to the stored object. */
interface Waiting {
  readonly size: number;
  readonly frame: () => Buffer;
}

/** Sends the events of one watch to one client, as fast as it takes them. */
export class WatchStream implements WatchSink {
  readonly #response: HttpResponse;
  readonly #frames: WatchFrames;
  readonly #closed = new AbortController();
  #queue: Waiting[] = [];
  #waitingBytes = 0;
  /** The initial state of a watch may be larger than the limit and does not count. */
  #initialBytes: number | undefined;
  /** Whether the connection takes more, must drain first, or is closed. */
  #state: "open" | "full" | "gone" = "open";
  /** The stream ends after what is queued. */
  #ending = false;

  constructor(response: HttpResponse, frames: WatchFrames) {
    this.#response = response;
    this.#frames = frames;
    response.on("close", () => this.#goneBecause("the client closed the connection"));
    response.on("drain", () => this.#resume());
  }

  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  event(type: EventType, entry: Entry): void {
    this.#push({ size: entry.bytes.length, frame: () => this.#frames.event(type, entry) });
  }

  bookmark(revision: number, initialEventsEnd: boolean): void {
    this.#push({ size: 0, frame: () => this.#frames.bookmark(revision, initialEventsEnd) });
  }

  ready(entries: readonly Entry[]): Promise<unknown> | undefined {
    return this.#frames.ready(entries);
  }

  error(error: StatusError): void {
    this.#push({ size: 0, frame: () => this.#frames.error(error) });
  }

  flush(): void {
    if (this.#state === "gone") return;
    this.#start();
    this.#initialBytes ??= this.#waitingBytes;
    this.#send();
    if (this.#waitingBytes > this.#initialBytes + maxWaitingBytes) this.#drop("the client does not keep up");
  }

  end(): void {
    this.#ending = true;
    this.#closed.abort();
    this.flush();
  }

  #push(waiting: Waiting): void {
    this.#queue.push(waiting);
    this.#waitingBytes += waiting.size;
  }

  #send(): void {
    while (this.#queue.length > 0 && this.#state === "open")
      if (!this.#response.write(this.#nextChunk())) this.#state = "full";
    if (this.#ending && this.#queue.length === 0 && this.#state !== "gone") {
      this.#state = "gone";
      this.#response.end();
    }
  }

  #nextChunk(): Buffer {
    let count = 0;
    let bytes = 0;
    for (; count < this.#queue.length && bytes < chunkBytes; count++) bytes += this.#queue[count]?.size ?? 0;
    this.#waitingBytes -= bytes;
    const chunk = this.#queue.splice(0, count).map(({ frame }) => frame());
    return chunk.length === 1 ? (chunk[0] as Buffer) : Buffer.concat(chunk);
  }

  #resume(): void {
    if (this.#state === "full") this.#state = "open";
    try {
      this.#send();
    } catch (error) {
      // No caller would catch this error: an object that cannot be shown ends the watch.
      this.#drop(error);
    }
  }

  #start(): void {
    if (this.#response.headersSent) return;
    this.#response.writeHead(200, { "content-type": "application/json", "cache-control": "no-cache, private" });
    // A client without a first event must still see that the watch is established.
    if (this.#queue.length === 0 && "flushHeaders" in this.#response) this.#response.flushHeaders();
  }

  #drop(why: unknown): void {
    this.#goneBecause(why);
    cutOff(this.#response);
  }

  #goneBecause(why: unknown): void {
    this.#state = "gone";
    this.#queue = [];
    this.#closed.abort(why);
  }
}
