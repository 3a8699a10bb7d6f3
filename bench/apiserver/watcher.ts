import { createHash } from "node:crypto";
import { HttpConnection, requestBytes } from "../harness/http-connection.ts";
import { configMapsPath, WrongError } from "../harness/load.ts";
import type { BenchServer } from "../harness/servers.ts";

export interface WatchedEvent {
  readonly type: string;
  readonly object: { readonly metadata: { readonly name: string; readonly resourceVersion: string } };
}

interface WatcherOptions {
  readonly namespace: string;
  /** Events after this resourceVersion. */
  readonly since: string;
  /** The number of events to wait for. */
  readonly events: number;
  /** Keep the events. Watchers of the same objects get the same bytes, so one that keeps them is enough. */
  readonly keep: boolean;
}

const newline = 0x0a;
const nothing = Buffer.alloc(0);

/** A watch that continues from the last version when the server closes it, as clients do. */
export class Watcher {
  readonly complete: Promise<void>;
  /** How often the server closed it. */
  cuts = 0;
  seen = 0;
  readonly #server: BenchServer;
  readonly #options: WatcherOptions;
  readonly #digest = createHash("sha1");
  readonly #kept: Buffer[] = [];
  #connection: HttpConnection | undefined;
  #rest: Buffer = nothing;
  #latest: Buffer = nothing;
  #done = (): void => {};
  #fail = (_: unknown): void => {};

  constructor(server: BenchServer, options: WatcherOptions) {
    this.#server = server;
    this.#options = options;
    this.complete = new Promise((resolve, reject) => {
      this.#done = resolve;
      this.#fail = reject;
    });
  }

  /** Resolves when the watch is established. */
  async start(): Promise<void> {
    const connection = await HttpConnection.open(this.#server);
    this.#connection = connection;
    this.#rest = nothing;
    const { namespace } = this.#options;
    const path = `${configMapsPath(namespace)}?watch=1&resourceVersion=${this.#newest()}`;
    const { status, ended } = await connection.stream(requestBytes(this.#server, { method: "GET", path }), (piece) =>
      this.#take(piece),
    );
    if (status !== 200) throw new WrongError(`watch on ${this.#server.name}: status ${status}`);
    void ended.then(() => this.#resume());
  }

  close(): void {
    this.#connection?.close();
  }

  /** Equal for watchers that got the same events. */
  digest(): string {
    return this.#digest.digest("hex");
  }

  events(): WatchedEvent[] {
    const lines = Buffer.concat(this.#kept).toString("utf8").trimEnd().split("\n");
    return lines.map((line) => JSON.parse(line) as WatchedEvent);
  }

  #take(piece: Buffer): void {
    const end = piece.lastIndexOf(newline) + 1;
    if (end === 0) {
      this.#rest = Buffer.concat([this.#rest, piece]);
      return;
    }
    const head = piece.subarray(0, end);
    const lines = this.#rest.length > 0 ? Buffer.concat([this.#rest, head]) : head;
    this.#rest = piece.subarray(end);
    this.#latest = lines;
    this.#digest.update(lines);
    if (this.#options.keep) this.#kept.push(lines);
    for (let at = lines.indexOf(newline); at >= 0; at = lines.indexOf(newline, at + 1)) this.seen++;
    if (this.seen >= this.#options.events) this.#done();
  }

  #newest(): string {
    if (this.#latest.length === 0) return this.#options.since;
    const line = this.#latest.subarray(this.#latest.lastIndexOf(newline, -2) + 1).toString("utf8");
    return (JSON.parse(line) as WatchedEvent).object.metadata.resourceVersion;
  }

  #resume(): void {
    if (this.seen >= this.#options.events) return;
    this.cuts++;
    this.#connection?.close();
    this.start().catch(this.#fail);
  }
}
