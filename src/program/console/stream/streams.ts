import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { HelloFrame } from "../../../../console/protocol/frames.ts";
import type { Clock } from "../../../cluster/runtime/clock.ts";
import { mostTopics, type Reader, type Resume, type UserHub } from "../user-hub.ts";
import type { User } from "../users.ts";
import { FrameWriter } from "./frame-writer.ts";

const beatMs = 10_000;
/** A page has one; a user has some pages. */
const mostStreams = 50;

interface OpenStream {
  readonly user: User;
  readonly hub: UserHub;
  readonly reader: Reader;
  readonly topics: Set<string>;
  readonly end: () => void;
}

export interface StreamRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly user: User;
  readonly hub: UserHub;
  readonly query: URLSearchParams;
}

/** The streams that are open. */
export class Streams {
  readonly #clock: Clock;
  readonly #version: string;
  readonly #open = new Map<string, OpenStream>();

  constructor(clock: Clock, version: string) {
    this.#clock = clock;
    this.#version = version;
  }

  /** Answers one stream, until its reader is gone. Returns what was wrong with the request, if it answers nothing. */
  serve({ request, response, user, hub, query }: StreamRequest): string | undefined {
    const names = topicNames(query.get("topics"));
    if (!names) return "topics: a list of at most 50 names, separated by commas";
    if ([...this.#open.values()].filter((stream) => stream.user.id === user.id).length >= mostStreams)
      return "this user has too many streams open";
    const id = randomUUID();
    const writer = new FrameWriter(response, request.headers["accept-encoding"]?.toString() ?? "");
    const state = { isWriting: true };
    const pump = async (): Promise<void> => {
      if (state.isWriting) return;
      state.isWriting = true;
      while (!writer.isClosed && !reader.outbox.isEmpty) await writer.write(reader.outbox.take(hub.seq));
      state.isWriting = false;
    };
    const reader = hub.reader(() => void pump());
    const stream = { user, hub, reader, topics: new Set<string>(), end: () => writer.end() };
    this.#open.set(id, stream);
    let cancelBeat = (): void => {};
    const beatLater = (): void => {
      cancelBeat = this.#clock.after(beatMs, () => {
        reader.outbox.addBeat();
        void pump();
        beatLater();
      });
    };
    response.once("close", () => {
      cancelBeat();
      this.#open.delete(id);
      for (const name of stream.topics) hub.unsubscribe(reader, name);
    });
    beatLater();
    const { epoch, cluster, clusters } = hub;
    const hello: HelloFrame = { type: "hello", id, epoch, user: hub.user, cluster, clusters, version: this.#version };
    void writer.write([hello]).then(() => {
      state.isWriting = false;
      return pump();
    });
    this.#setTopics(stream, names, resumeOf(query));
    return undefined;
  }

  /** Other topics for a stream. False: the user has no such stream. */
  change(user: User, id: string, topics: readonly string[]): boolean {
    const stream = this.#open.get(id);
    if (stream?.user.id !== user.id) return false;
    this.#setTopics(stream, topics);
    return true;
  }

  close(): void {
    for (const { end } of this.#open.values()) end();
  }

  #setTopics({ hub, reader, topics }: OpenStream, names: readonly string[], resume?: Resume): void {
    for (const name of topics)
      if (!names.includes(name)) {
        hub.unsubscribe(reader, name);
        topics.delete(name);
      }
    for (const name of names) if (!topics.has(name) && hub.subscribe(reader, name, resume)) topics.add(name);
  }
}

/** Undefined if the list is none. */
export function topicNames(text: string | null): string[] | undefined {
  const names = (text ?? "").split(",").filter((name) => name !== "");
  const isGood = names.length <= mostTopics && names.every((name) => name.length <= 300);
  return isGood ? names : undefined;
}

function resumeOf(query: URLSearchParams): Resume | undefined {
  const epoch = query.get("after");
  if (epoch === null) return undefined;
  const held = (topicNames(query.get("held")) ?? []).flatMap((entry): [string, number][] => {
    const [, name, seq] = /^(.+)@(\d{1,15})$/.exec(entry) ?? [];
    return name === undefined ? [] : [[name, Number(seq)]];
  });
  return { epoch, held: new Map(held) };
}
