import type { KubeObject } from "../../language/object/meta.ts";
import type { Clock } from "../runtime/clock.ts";
import { isApiError } from "./api-error.ts";
import type { Client, KindRef } from "./client.ts";

export interface RefusedWrite {
  readonly kind: string;
  readonly name: string;
  /** `update MachineConfigPool np1: …`, in the words of the server. */
  readonly message: string;
}

/** Controllers try again within 30 seconds: a write that none has tried since then is not wanted any more. */
const rememberedMs = 90_000;
const most = 100;

/**
 * Which writes a server refuses, such as by admission policies of its users, or does not keep: where a webhook of theirs changes what
 * is written, there would be no event and no second attempt. A write counts until one to the same object succeeds. Its first message
 * stays, so that a server that says something else each time brings no changes.
 */
export class RefusedWrites {
  readonly #clock: Clock;
  readonly #refused = new Map<string, { readonly write: RefusedWrite; at: number }>();
  readonly #listeners = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  current(): readonly RefusedWrite[] {
    const since = this.#clock.monotonic() - rememberedMs;
    for (const [key, { at }] of this.#refused) if (at < since) this.#refused.delete(key);
    return Array.from(this.#refused.values(), ({ write }) => write);
  }

  /** Called when there is one more, or one less. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The client, with its writes noted. */
  noting(client: Client): Client {
    return {
      get: async (...request) => client.get(...request),
      list: async (...request) => client.list(...request),
      watch: (...request) => client.watch(...request),
      raw: async (...request) => client.raw(...request),
      create: async (of, object, options) =>
        this.#sent("create", { of, name: object.metadata.name }, client.create(of, object, options)),
      update: async (of, object, options) =>
        this.#sent("update", { of, name: object.metadata.name }, kept(object, client.update(of, object, options))),
      patch: async (of, name, ...rest) => this.#sent("patch", { of, name }, client.patch(of, name, ...rest)),
      delete: async (of, name, ...rest) => this.#sent("delete", { of, name }, client.delete(of, name, ...rest)),
    };
  }

  async #sent<T>(
    verb: string,
    { of: { kind }, name = "" }: { readonly of: KindRef; readonly name: string | undefined },
    answer: Promise<T>,
  ): Promise<T> {
    // Events are no state: without them nothing is missing.
    if (kind === "Event") return answer;
    const key = `${kind} ${name}`;
    try {
      const given = await answer;
      if (this.#refused.delete(key)) this.#notify();
      return given;
    } catch (error) {
      if (isRefusal(error)) this.#note(key, { kind, name, message: `${verb} ${key}: ${error.message}` });
      throw error;
    }
  }

  #note(key: string, write: RefusedWrite): void {
    const known = this.#refused.get(key);
    if (known) known.at = this.#clock.monotonic();
    else if (this.#refused.size < most) {
      this.#refused.set(key, { write, at: this.#clock.monotonic() });
      this.#notify();
    }
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

const isNotKept =
  "the server keeps something else than was written: a webhook of the cluster, or the definition of the kind, changes it";

class NotKeptError extends Error {
  constructor() {
    super(isNotKept);
    this.name = "NotKeptError";
  }
}

/** An update is sent because the object differs: where its version stays, the difference does too. */
async function kept<T extends KubeObject>(object: T, answer: Promise<T>): Promise<T> {
  const given = await answer;
  const { resourceVersion } = object.metadata;
  if (resourceVersion !== undefined && given?.metadata.resourceVersion === resourceVersion) throw new NotKeptError();
  return given;
}

/** Without a response; a race with another client; too many requests; a server that is not ready. */
const passing = [0, 409, 429, 503, 504];

/** 404 without the name of an object: the server does not have the kind. */
function isRefusal(error: unknown): error is Error {
  if (error instanceof NotKeptError) return true;
  if (!isApiError(error)) return false;
  return error.code === 404 ? error.details?.name === undefined : !passing.includes(error.code);
}
