import type { DomainCalls, DomainReply, DomainRequest } from "./domain-protocol.ts";
// oxlint-disable-next-line import/default -- Vite makes this module: the address of the worker's own bundle.
import workerUrl from "./domain-worker.ts?worker&url";
import { trustedUrl } from "./trusted-url.ts";

interface Pending {
  readonly resolve: (answered: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The worker that computes. Calls are answered in order. */
export class DomainClient {
  readonly #worker = new Worker(trustedUrl(workerUrl), { type: "module", name: "domain" });
  readonly #pending = new Map<number, Pending>();
  #next = 0;

  constructor() {
    this.#worker.addEventListener("message", ({ data }: MessageEvent<DomainReply>) => this.#settle(data));
    this.#worker.addEventListener("error", ({ message }) => {
      for (const { reject } of this.#pending.values()) reject(new Error(`preview the profile: ${message}`));
      this.#pending.clear();
    });
  }

  call<Name extends keyof DomainCalls>(
    name: Name,
    asked: DomainCalls[Name]["asked"],
  ): Promise<DomainCalls[Name]["answered"]> {
    const request: DomainRequest<Name> = { id: this.#next++, name, asked };
    return new Promise((resolve, reject) => {
      this.#pending.set(request.id, { resolve: resolve as (answered: unknown) => void, reject });
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no other origin.
      this.#worker.postMessage(request);
    });
  }

  close(): void {
    this.#worker.terminate();
  }

  #settle(reply: DomainReply): void {
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if ("failed" in reply) pending?.reject(new Error(`preview the profile: ${reply.failed}`));
    else pending?.resolve(reply.answered);
  }
}
