import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { Clock } from "../../cluster/runtime/clock.ts";
import { Outbox } from "./stream/outbox.ts";
import { Ring } from "./stream/ring.ts";
import { TopicTable } from "./stream/topic-table.ts";
import { type UserCluster, TopicContext } from "./topics/topic-context.ts";
import { findTopic } from "./topics/topics.ts";

/** How long a topic goes on without readers: a page that lost its connection gets what it missed. */
const lingerMs = 60_000;
/** More topics at once are refused: a page watches a handful. */
export const mostTopics = 50;

interface OpenTopic {
  readonly table: TopicTable;
  readonly close: AbortController;
  readonly readers: Set<Reader>;
  /** The last change before the topic was opened. */
  readonly openedAfter: number;
  cancelClose: () => void;
}

/** One stream, as the hub sees it. */
export interface Reader {
  readonly outbox: Outbox;
  /** Something is in the outbox. */
  wake(): void;
}

export interface Resume {
  readonly epoch: string;
  /** The last change of which the page has the rows, by topic. */
  readonly held: ReadonlyMap<string, number>;
}

export interface UserHubOptions {
  readonly user: string;
  readonly own: UserCluster;
  readonly clusters: ReadonlyMap<string, UserCluster>;
  readonly clock: Clock;
  /** Called when no topic is open any more. */
  readonly onIdle: () => void;
}

/** What one user watches in one cluster: the topics that are open, their last changes, and who reads them. */
export class UserHub {
  readonly epoch: string = randomUUID();
  readonly #options: UserHubOptions;
  readonly #ring = new Ring();
  readonly #topics = new Map<string, OpenTopic>();
  #seq = 0;

  constructor(options: UserHubOptions) {
    this.#options = options;
  }

  get user(): string {
    return this.#options.user;
  }

  get cluster(): string {
    return this.#options.own.name;
  }

  get seq(): number {
    return this.#seq;
  }

  get clusters(): string[] {
    return [...this.#options.clusters.keys()];
  }

  reader(wake: () => void): Reader {
    return { outbox: new Outbox((topic) => this.#topics.get(topic)?.table), wake };
  }

  /** Puts what the reader lacks into its outbox, and from then on what changes. Returns false for a topic that there is not. */
  subscribe(reader: Reader, name: string, resume?: Resume): boolean {
    const topic = this.#topics.get(name) ?? this.#open(name);
    if (!topic) return false;
    if (topic.readers.has(reader)) return true;
    topic.cancelClose();
    topic.table.handOver();
    const held = resume?.epoch === this.epoch ? resume.held.get(name) : undefined;
    const missed = held !== undefined && held >= topic.openedAfter ? this.#ring.since(held, name) : undefined;
    if (missed) for (const change of missed) reader.outbox.add(change);
    else reader.outbox.addWhole(name);
    topic.readers.add(reader);
    reader.wake();
    return true;
  }

  unsubscribe(reader: Reader, name: string): void {
    const topic = this.#topics.get(name);
    if (!topic?.readers.delete(reader)) return;
    reader.outbox.drop(name);
    if (topic.readers.size > 0) return;
    topic.cancelClose = this.#options.clock.after(lingerMs, () => this.#close(name));
  }

  close(): void {
    for (const name of this.#topics.keys()) this.#close(name);
  }

  #open(name: string): OpenTopic | undefined {
    const found = findTopic(name);
    if (!found || this.#topics.size >= 2 * mostTopics) return undefined;
    const { own, clusters, clock } = this.#options;
    const close = new AbortController();
    // Every cache listens: Node.js takes more than ten listeners for a leak.
    setMaxListeners(0, close.signal);
    const table = new TopicTable(clock, (change) => {
      const seq = ++this.#seq;
      const bytes = JSON.stringify([...change.rows]).length;
      this.#ring.add({ ...change, seq, topic: name, bytes });
      for (const reader of topic.readers) {
        reader.outbox.add({ ...change, topic: name });
        reader.wake();
      }
    });
    const topic: OpenTopic = { table, close, readers: new Set(), openedAfter: this.#seq, cancelClose: () => {} };
    this.#topics.set(name, topic);
    const { argument, definition } = found;
    definition.open(new TopicContext({ argument, own, clusters, table, clock, signal: close.signal }));
    return topic;
  }

  #close(name: string): void {
    const topic = this.#topics.get(name);
    topic?.close.abort();
    topic?.table.close();
    this.#topics.delete(name);
    if (this.#topics.size === 0) this.#options.onIdle();
  }
}
