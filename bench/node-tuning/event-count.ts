import { HttpConnection, requestBytes } from "../harness/http-connection.ts";
import { WrongError } from "../harness/load.ts";
import type { BenchServer } from "../harness/servers.ts";

const newline = 0x0a;
const kinds = ["ADDED", "MODIFIED", "DELETED"] as const;
type Kind = (typeof kinds)[number];

/** Counts the events of a watch without parsing them: on two cores a busy observer would distort the results. */
export class EventCount {
  readonly #counts: Record<Kind, number> = { ADDED: 0, MODIFIED: 0, DELETED: 0 };
  readonly #server: BenchServer;
  readonly #collection: string;
  #connection: HttpConnection | undefined;
  #startsLine = true;
  #head = "";
  /** The current line and the last complete one: where to continue if the server closes the watch. */
  #line: Buffer[] = [];
  #lastLine: Buffer[] = [];
  #closed = false;
  #wanted: { kind: Kind; count: number; reached: (at: number) => void } | undefined;

  private constructor(server: BenchServer, collection: string) {
    this.#server = server;
    this.#collection = collection;
  }

  /** Resolves when the watch is established: every later event is counted. */
  static async open(server: BenchServer, collection: string, since: string): Promise<EventCount> {
    const watch = new EventCount(server, collection);
    await watch.#start(since);
    return watch;
  }

  async #start(since: string): Promise<void> {
    this.#connection = await HttpConnection.open(this.#server);
    const path = `${this.#collection}?watch=true&resourceVersion=${since}&timeoutSeconds=3600`;
    const request = requestBytes(this.#server, { method: "GET", path });
    const { status, ended } = await this.#connection.stream(request, (piece) => this.#take(piece));
    if (status !== 200) throw new WrongError(`watch ${this.#collection}: status ${status}`);
    void ended.then(() => this.#resume(since));
  }

  /** Servers close watches of slow clients; a client continues from the last version. */
  async #resume(since: string): Promise<void> {
    if (this.#closed) return;
    this.#connection?.close();
    this.#startsLine = true;
    this.#head = "";
    this.#line = [];
    const last = Buffer.concat(this.#lastLine).toString("utf8");
    const event = last === "" ? undefined : (JSON.parse(last) as { object: { metadata: { resourceVersion: string } } });
    await this.#start(event?.object.metadata.resourceVersion ?? since);
  }

  count(kind: Kind): number {
    return this.#counts[kind];
  }

  reset(): void {
    for (const kind of kinds) this.#counts[kind] = 0;
  }

  /** The time at which `count` events of this kind have arrived. */
  until(kind: Kind, count: number, timeoutMs = 300_000): Promise<number> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(
        () => reject(new WrongError(`${this.#counts[kind]} of ${count} ${kind} after ${timeoutMs / 1000} s`)),
        timeoutMs,
      );
      const reached = (at: number): void => {
        clearTimeout(late);
        resolve(at);
      };
      this.#wanted = { kind, count, reached };
      this.#check();
    });
  }

  close(): void {
    this.#closed = true;
    this.#connection?.close();
  }

  /** A line begins with the type of its event; the rest is skipped. */
  #take(piece: Buffer): void {
    for (let at = 0; at < piece.length;) {
      if (this.#startsLine) {
        this.#head += piece.toString("latin1", at, Math.min(piece.length, at + 32 - this.#head.length));
        if (this.#head.length < 32) {
          this.#line.push(piece.subarray(at));
          return;
        }
        this.#startsLine = false;
      }
      const end = piece.indexOf(newline, at);
      this.#line.push(piece.subarray(at, end < 0 ? piece.length : end));
      if (end < 0) break;
      for (const kind of kinds) if (this.#head.includes(`"${kind}"`)) this.#counts[kind]++;
      this.#head = "";
      this.#lastLine = this.#line;
      this.#line = [];
      this.#startsLine = true;
      at = end + 1;
    }
    this.#check();
  }

  #check(): void {
    const wanted = this.#wanted;
    if (!wanted || this.#counts[wanted.kind] < wanted.count) return;
    this.#wanted = undefined;
    wanted.reached(performance.now());
  }
}
