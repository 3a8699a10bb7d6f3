import type { KubeObject } from "../../../language/object/meta.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Informer } from "../cache.ts";
import type { Client, KindRef } from "../client.ts";
import { LinkedAbort } from "../linked-abort.ts";
import { informerOfOne } from "./informer.ts";
import type { ReflectorHooks } from "./reflector.ts";
import { ServedKind } from "./served-kind.ts";

/** Whether one object of a custom kind exists, in a cluster that may not have the kind. */
export class ExistingObject {
  readonly #kind: ServedKind;
  readonly #create: () => Informer;
  readonly #handlers = new Set<() => void>();
  #object: { readonly informer: Informer; readonly stop: LinkedAbort } | undefined;

  constructor(
    client: Client,
    { kind, name }: { readonly kind: KindRef; readonly name: string },
    options: { readonly clock: Clock; readonly hooks?: ReflectorHooks | undefined },
  ) {
    this.#kind = new ServedKind(client, kind, options);
    const project = ({ apiVersion, kind: of, metadata: { uid } }: KubeObject): KubeObject => ({
      apiVersion,
      kind: of,
      metadata: { name, uid },
    });
    this.#create = () => informerOfOne(client, kind, { ...options, name, project });
  }

  /** False while it is not known. */
  get exists(): boolean {
    return (this.#object?.informer.list().length ?? 0) > 0;
  }

  /** Whether `exists` is the answer of the server. */
  get isKnown(): boolean {
    return this.#kind.informer.synced && (!this.#kind.isServed || this.#object?.informer.synced === true);
  }

  async whenSynced(signal?: AbortSignal): Promise<void> {
    await this.#kind.informer.whenSynced(signal);
    await this.#object?.informer.whenSynced(signal);
  }

  /** Calls back whenever the answer may have changed. */
  subscribe(handler: () => void): () => void {
    this.#handlers.add(handler);
    return () => void this.#handlers.delete(handler);
  }

  async run(signal: AbortSignal): Promise<void> {
    const running: Promise<void>[] = [];
    const unsubscribe = this.#kind.informer.subscribe(() => {
      if (this.#kind.isServed === (this.#object !== undefined)) return;
      this.#object?.stop.abort();
      this.#object = undefined;
      if (this.#kind.isServed) running.push(this.#follow(new LinkedAbort(signal)));
      this.#changed();
    });
    await this.#kind.informer.run(signal);
    unsubscribe();
    this.#object?.stop.abort();
    await Promise.all(running);
  }

  async #follow(stop: LinkedAbort): Promise<void> {
    const informer = this.#create();
    this.#object = { informer, stop };
    informer.subscribe(() => this.#changed());
    const synced = informer.whenSynced(stop.signal).then(
      () => this.#changed(),
      // The kind has gone, or the process ends.
      () => undefined,
    );
    await Promise.all([informer.run(stop.signal), synced]);
  }

  #changed(): void {
    for (const handler of this.#handlers) handler();
  }
}
