import type { Frame, HelloFrame, Source } from "../../protocol/frames.ts";
import { unpackRows } from "./unpack-rows.ts";

/** `live`: frames arrive. `stale`: they do not, and what is shown is as of `asOf`. */
export type Connection =
  | { readonly state: "connecting" }
  | { readonly state: "live" }
  | { readonly state: "stale"; readonly asOf: number; readonly problem: string };

/** A topic as the page has it. A new object for every change: React compares references. */
export interface TopicState {
  /** False until all rows have arrived once. */
  readonly isLoaded: boolean;
  readonly rows: ReadonlyMap<string, object>;
  /** By kind: how the server answers for it. */
  readonly sources: ReadonlyMap<string, Source>;
  /** Keys that changed with the last frame; undefined: all. */
  readonly changed: ReadonlySet<string> | undefined;
}

const nothing: TopicState = { isLoaded: false, rows: new Map(), sources: new Map(), changed: undefined };

/** All that the page knows of a cluster, by topic. */
export class Store {
  readonly #topics = new Map<string, TopicState>();
  readonly #listeners = new Map<string, Set<() => void>>();
  #connection: Connection = { state: "connecting" };
  #hello: HelloFrame | undefined;
  /** The number of the last frame, of the topics that the server has sent since it began. */
  readonly #held = new Map<string, number>();

  topic(name: string): TopicState {
    return this.#topics.get(name) ?? nothing;
  }

  get connection(): Connection {
    return this.#connection;
  }

  get hello(): HelloFrame | undefined {
    return this.#hello;
  }

  /** From where a stream goes on. */
  get position(): { readonly after: string; readonly held: readonly string[] } | undefined {
    if (!this.#hello) return undefined;
    return { after: this.#hello.epoch, held: Array.from(this.#held, ([name, seq]) => `${name}@${seq}`) };
  }

  /** `name`: of a topic, or `connection`. */
  subscribe(name: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  setConnection(connection: Connection): void {
    this.#connection = connection;
    this.#notify("connection");
  }

  accept(frame: Frame): void {
    if (frame.type === "hello") {
      // A server that began anew has other numbers. Its rows replace those that are shown.
      if (frame.epoch !== this.#hello?.epoch) this.#held.clear();
      this.#hello = frame;
      this.#notify("connection");
      return;
    }
    if (frame.type === "beat") {
      for (const name of this.#held.keys()) this.#held.set(name, frame.seq);
      return;
    }
    if (frame.type !== "source") this.#held.set(frame.topic, frame.seq);
    const before = this.topic(frame.topic);
    this.#topics.set(frame.topic, after(before, frame));
    this.#notify(frame.topic);
  }

  /** Forgets a topic that nothing shows any more. */
  drop(name: string): void {
    this.#topics.delete(name);
    this.#held.delete(name);
  }

  /** Of another cluster nothing is known. */
  clear(): void {
    const names = [...this.#topics.keys()];
    this.#topics.clear();
    this.#held.clear();
    this.#hello = undefined;
    for (const name of names) this.#notify(name);
  }

  #notify(name: string): void {
    for (const listener of this.#listeners.get(name) ?? []) listener();
  }
}

function after(before: TopicState, frame: Exclude<Frame, { type: "hello" | "beat" }>): TopicState {
  if (frame.type === "source")
    return { ...before, changed: new Set(), sources: new Map(before.sources).set(frame.kind, frame.source) };
  if (frame.type === "snap")
    return { ...before, isLoaded: true, rows: new Map(unpackRows(frame.rows)), changed: undefined };
  const rows = new Map(before.rows);
  const changed = new Set<string>();
  for (const [key, row] of unpackRows(frame.rows)) {
    rows.set(key, row);
    changed.add(key);
  }
  for (const key of frame.gone) {
    rows.delete(key);
    changed.add(key);
  }
  return { ...before, rows, changed };
}
