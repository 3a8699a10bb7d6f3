import { Connection } from "./connection.ts";
import { WrongError } from "./load.ts";
import { requestBytes } from "./request-bytes.ts";
import type { BenchServer } from "./servers.ts";

const newline = 0x0a;
const kinds = ["ADDED", "MODIFIED", "DELETED"] as const;
type Kind = (typeof kinds)[number];

/** Counts what a watch tells, without reading it: on two cores whoever looks on takes part. */
export class EventCount {
  readonly #counts: Record<Kind, number> = { ADDED: 0, MODIFIED: 0, DELETED: 0 };
  readonly #connection: Connection;
  #startsLine = true;
  #head = "";
  #wanted: { kind: Kind; count: number; reached: (at: number) => void } | undefined;

  private constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Resolves when the watch stands, so that whatever happens from now on is counted. */
  static async open(server: BenchServer, collection: string, since: string): Promise<EventCount> {
    const connection = await Connection.open(server);
    const watch = new EventCount(connection);
    const path = `${collection}?watch=true&resourceVersion=${since}&timeoutSeconds=3600`;
    const { status } = await connection.stream(requestBytes(server, { method: "GET", path }), (piece) =>
      watch.#take(piece),
    );
    if (status !== 200) throw new WrongError(`watch ${collection}: status ${status}`);
    return watch;
  }

  count(kind: Kind): number {
    return this.#counts[kind];
  }

  reset(): void {
    for (const kind of kinds) this.#counts[kind] = 0;
  }

  /** The moment at which so many of these have come. */
  until(kind: Kind, count: number, patienceMs = 300_000): Promise<number> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(
        () => reject(new WrongError(`${this.#counts[kind]} of ${count} ${kind} after ${patienceMs / 1000} s`)),
        patienceMs,
      );
      const reached = (at: number): void => {
        clearTimeout(late);
        resolve(at);
      };
      this.#wanted = { kind, count, reached };
      this.#look();
    });
  }

  close(): void {
    this.#connection.close();
  }

  /** A line begins with its type; the rest of it is passed over. */
  #take(piece: Buffer): void {
    for (let at = 0; at < piece.length;) {
      if (this.#startsLine) {
        this.#head += piece.toString("latin1", at, Math.min(piece.length, at + 32 - this.#head.length));
        if (this.#head.length < 32) return;
        for (const kind of kinds) if (this.#head.includes(`"${kind}"`)) this.#counts[kind]++;
        this.#head = "";
        this.#startsLine = false;
      }
      const end = piece.indexOf(newline, at);
      if (end < 0) break;
      this.#startsLine = true;
      at = end + 1;
    }
    this.#look();
  }

  #look(): void {
    const wanted = this.#wanted;
    if (!wanted || this.#counts[wanted.kind] < wanted.count) return;
    this.#wanted = undefined;
    wanted.reached(performance.now());
  }
}
