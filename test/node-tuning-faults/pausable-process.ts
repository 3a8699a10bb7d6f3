import type { Client, KindRef, WatchEvent, WatchOptions } from "../../src/cluster/kube/client.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import type { Clock } from "../../src/cluster/runtime/clock.ts";

export interface Sent {
  readonly write: string;
  readonly at: number;
  /** `done`, or the status code of the refusal. Undefined while there is no answer. */
  outcome?: "done" | number;
}

/**
 * What SIGSTOP does to a process: time goes on, but no timer fires and no data is read until SIGCONT. Then everything happens
 * at once, network data before timers.
 */
export class PausableProcess {
  readonly clock: Clock;
  readonly client: Client;
  /** Writes in the order in which they were started. */
  readonly sent: Sent[] = [];
  /** Writes that match are held back until `arrive` is called. */
  delays: (write: string) => boolean = () => false;
  readonly #outer: Clock;
  readonly #heldTimers: (() => void)[] = [];
  readonly #onTheWay: (() => void)[] = [];
  #paused = false;
  #wake: (() => void)[] = [];

  constructor(clock: Clock, client: Client) {
    this.#outer = clock;
    this.clock = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      after: (ms, callback) => {
        let wanted = true;
        const fire = (): void => {
          if (wanted) callback();
        };
        const cancel = clock.after(ms, () => (this.#paused ? void this.#heldTimers.push(fire) : fire()));
        return () => {
          wanted = false;
          cancel();
        };
      },
    };
    this.client = this.#wrapped(client);
  }

  pause(): void {
    this.#paused = true;
  }

  async goOn(): Promise<void> {
    this.#paused = false;
    for (const wake of this.#wake.splice(0)) wake();
    await new Promise((resolve) => setImmediate(resolve));
    for (const fire of this.#heldTimers.splice(0)) fire();
  }

  arrive(): void {
    for (const deliver of this.#onTheWay.splice(0)) deliver();
  }

  #wrapped(client: Client): Client {
    const write = <R>(
      verb: string,
      of: KindRef,
      options: { subresource?: string | undefined } | undefined,
      send: () => Promise<R>,
    ) => this.#write(`${verb} ${of.plural}${options?.subresource ? `/${options.subresource}` : ""}`, send);
    return {
      get: (of, name, options) => this.#heard(client.get(of, name, options)),
      list: (of, options) => this.#heard(client.list(of, options)),
      create: (of, object, options) => write("create", of, options, () => client.create(of, object, options)),
      update: (of, object, options) => write("update", of, options, () => client.update(of, object, options)),
      patch: (of, name, patch, options) => write("patch", of, options, () => client.patch(of, name, patch, options)),
      delete: (of, name, options) => write("delete", of, undefined, () => client.delete(of, name, options)),
      watch: (of, options) => this.#watch(client, of, options),
      raw: (method, path, body, options) => client.raw(method, path, body, options),
    };
  }

  async #write<R>(write: string, send: () => Promise<R>): Promise<R> {
    const sent: Sent = { write, at: this.#outer.monotonic() };
    this.sent.push(sent);
    if (this.delays(write)) await new Promise<void>((resolve) => this.#onTheWay.push(resolve));
    try {
      const answer = await send();
      sent.outcome = "done";
      return await this.#heard(Promise.resolve(answer));
    } catch (error) {
      sent.outcome ??= (error as { code?: number }).code ?? 0;
      await this.#awake();
      throw error;
    }
  }

  async *#watch<T extends KubeObject>(
    client: Client,
    of: KindRef<T>,
    options?: WatchOptions,
  ): AsyncGenerator<WatchEvent<T>> {
    for await (const event of client.watch(of, options)) {
      await this.#awake();
      yield event;
    }
  }

  async #heard<R>(answer: Promise<R>): Promise<R> {
    try {
      return await answer;
    } finally {
      await this.#awake();
    }
  }

  async #awake(): Promise<void> {
    while (this.#paused) await new Promise<void>((resolve) => this.#wake.push(resolve));
  }
}
