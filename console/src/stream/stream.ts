import { authorization } from "../session/session.ts";
import { readFrames } from "./read-frames.ts";
import type { Store } from "./store.ts";

/** The server sends a beat each ten seconds. */
const silentMs = 25_000;
const firstRetryMs = 500;
const slowestRetryMs = 10_000;
/** Browsers open six connections to a host: a page that nobody looks at gives its one back. */
const hiddenMs = 60_000;
/** A topic that is left is kept for a while: people go back. */
const lingerMs = 30_000;

export interface StreamOptions {
  readonly store: Store;
  readonly onSignedOut: () => void;
}

/** Keeps the store equal to the server: one stream for all topics that the page shows, opened again when it breaks. */
export class Stream {
  readonly #options: StreamOptions;
  readonly #watched = new Map<string, { count: number; timer?: ReturnType<typeof setTimeout> | undefined }>();
  #cluster: string | undefined;
  #current = new AbortController();
  #isStopped = false;
  #lastFrame = Date.now();
  #wake = (): void => {};
  /** The topics that the server was last told. */
  #told = "";

  constructor(options: StreamOptions) {
    this.#options = options;
  }

  /** Runs until `stop`. */
  async run(): Promise<void> {
    this.#isStopped = false;
    let retryMs = firstRetryMs;
    while (!this.#isStopped) {
      if (document.hidden) await this.#hidden();
      const began = Date.now();
      const problem = await this.#attempt();
      if (problem === undefined || this.#isStopped) continue;
      this.#options.store.setConnection({ state: "stale", asOf: this.#lastFrame, problem });
      retryMs = Date.now() - began > slowestRetryMs ? firstRetryMs : Math.min(slowestRetryMs, retryMs * 2);
      // Pages that lost one server must not come back all at once.
      await this.#pause(firstRetryMs + Math.random() * (retryMs - firstRetryMs));
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#reconnect();
  }

  /** Shows another cluster. */
  show(cluster: string): void {
    this.#cluster = cluster;
    this.#options.store.clear();
    this.#reconnect();
  }

  /** Without waiting for the next attempt. */
  retry(): void {
    this.#wake();
  }

  /** Has the topic sent until the returned function is called. */
  watch(name: string): () => void {
    const entry = this.#watched.get(name) ?? { count: 0 };
    this.#watched.set(name, entry);
    clearTimeout(entry.timer);
    entry.count++;
    queueMicrotask(() => this.#tell());
    return () => {
      entry.count--;
      if (entry.count > 0) return;
      entry.timer = setTimeout(() => {
        this.#watched.delete(name);
        this.#tell();
        this.#options.store.drop(name);
      }, lingerMs);
    };
  }

  #reconnect(): void {
    this.#current.abort();
    this.#wake();
  }

  /** Reads one stream to its end. Returns what ended it; undefined if the page did. */
  async #attempt(): Promise<string | undefined> {
    const { store, onSignedOut } = this.#options;
    const abort = (this.#current = new AbortController());
    let isSilent = false;
    let watchdog: ReturnType<typeof setTimeout> | undefined;
    const alive = (): void => {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => {
        isSilent = true;
        abort.abort();
      }, silentMs);
    };
    const onHidden = this.#closeWhenHidden(abort);
    try {
      alive();
      this.#told = this.#names();
      const response = await fetch(this.#address(), { headers: authorization(), signal: abort.signal });
      if (response.status === 401) {
        this.#isStopped = true;
        onSignedOut();
        return undefined;
      }
      if (!response.ok || !response.body) return `the console answered ${response.status}`;
      for await (const frame of readFrames(response.body)) {
        alive();
        this.#lastFrame = Date.now();
        store.accept(frame);
        if (frame.type === "hello") {
          store.setConnection({ state: "live" });
          this.#tell();
        }
      }
      return "the console closed the connection";
    } catch (error) {
      if (isSilent) return "the console was silent";
      if (abort.signal.aborted) return undefined;
      return error instanceof TypeError ? "the console cannot be reached" : String(error);
    } finally {
      clearTimeout(watchdog);
      onHidden();
    }
  }

  #names(): string {
    return [...this.#watched.keys()].toSorted().join(",");
  }

  #address(): string {
    const query = new URLSearchParams({ topics: this.#told });
    if (this.#cluster !== undefined) query.set("cluster", this.#cluster);
    const position = this.#options.store.position;
    if (position) {
      query.set("after", position.after);
      query.set("held", position.held.join(","));
    }
    return `/api/stream?${query}`;
  }

  /** Tells the server which topics the page shows now. */
  #tell(): void {
    const { store } = this.#options;
    const names = this.#names();
    if (names === this.#told || !store.hello || store.connection.state !== "live") return;
    this.#told = names;
    void fetch(`/api/stream/${store.hello.id}/topics`, {
      method: "PUT",
      headers: { ...authorization(), "Content-Type": "application/json" },
      body: JSON.stringify({ topics: names.split(",").filter((name) => name !== "") }),
    }).then(
      // A stream that is gone is opened again, with the topics in its address.
      (response) => response.ok || this.#reconnect(),
      () => this.#reconnect(),
    );
  }

  #closeWhenHidden(abort: AbortController): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const changed = (): void => {
      clearTimeout(timer);
      if (document.hidden) timer = setTimeout(() => abort.abort(), hiddenMs);
    };
    document.addEventListener("visibilitychange", changed);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", changed);
    };
  }

  #hidden(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        if (document.hidden && !this.#isStopped) return;
        document.removeEventListener("visibilitychange", done);
        resolve();
      };
      this.#wake = done;
      document.addEventListener("visibilitychange", done);
    });
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
