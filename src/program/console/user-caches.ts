import type { Source } from "../../../console/protocol/frames.ts";
import type { Rule } from "../../../console/protocol/topics.ts";
import { isForbidden, isNotFound } from "../../cluster/kube/api-error.ts";
import type { Informer } from "../../cluster/kube/cache.ts";
import type { Client, KindRef } from "../../cluster/kube/client.ts";
import { createInformer, type InformerOptions } from "../../cluster/kube/informer/informer.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import { errorText } from "../../cluster/runtime/error-text.ts";
import { type KubeObject, parseApiVersion } from "../../language/object/meta.ts";

/** What is cached of a kind. Topics that use the same definition, the very object, share one cache. */
export interface CacheDefinition<T extends KubeObject, P extends KubeObject = T> extends Pick<
  InformerOptions<T, P>,
  "namespace" | "labelSelector" | "fieldSelector" | "project" | "indexes"
> {
  readonly kind: KindRef<T>;
  /** Instead of `project`: makes one for each cache, which may remember what it has seen. */
  readonly projector?: () => (object: T) => P;
}

interface Shared {
  readonly informer: Informer;
  readonly users: Set<(source: Source) => void>;
  readonly stop: AbortController;
  source: Source;
  cancelRecovery: () => void;
}

/** Refused rights and kinds that are not served are asked for again this often at most. */
const slowestRetryMs = 30_000;
/** A watch that has been open for this long has not been refused. */
const recoveredAfterMs = 2000;

/** The caches of one user in one cluster, filled with the rights of that user. Each runs while a topic uses it. */
export class UserCaches {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #shared = new Map<object, Shared>();

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Until the signal aborts. `onSource` is told at once, and of every change, how the server answers. */
  use<T extends KubeObject, P extends KubeObject = T>(
    definition: CacheDefinition<T, P>,
    signal: AbortSignal,
    onSource: (source: Source) => void,
  ): Informer<P> {
    let shared = this.#shared.get(definition);
    if (!shared) this.#shared.set(definition, (shared = this.#start(definition)));
    const { users, stop, informer } = shared;
    users.add(onSource);
    onSource(shared.source);
    signal.addEventListener(
      "abort",
      () => {
        users.delete(onSource);
        if (users.size > 0) return;
        stop.abort();
        this.#shared.delete(definition);
      },
      { once: true },
    );
    return informer as unknown as Informer<P>;
  }

  #start<T extends KubeObject, P extends KubeObject>(definition: CacheDefinition<T, P>): Shared {
    const { kind, projector, ...options } = definition;
    const stop = new AbortController();
    const tell = (source: Source): void => {
      shared.cancelRecovery();
      if (stop.signal.aborted) return;
      shared.source = source;
      for (const user of shared.users) user(source);
    };
    const informer = createInformer(this.#client, kind, {
      ...options,
      ...(projector ? { project: projector() } : {}),
      clock: this.#clock,
      backoff: { maxMs: slowestRetryMs },
      hooks: {
        onList: () => tell({ state: "ready" }),
        onWatch: ({ resourceVersion }) => {
          if (resourceVersion === undefined || shared.source.state === "ready") return;
          shared.cancelRecovery();
          shared.cancelRecovery = this.#clock.after(recoveredAfterMs, () => tell({ state: "ready" }));
        },
        onError: (error, { failure }) => {
          // These two are part of listing and watching, and the next attempt follows at once.
          if (failure !== "unsupported" && failure !== "expired") tell(sourceOf(error, definition));
        },
      },
    });
    const shared: Shared = {
      informer,
      users: new Set(),
      stop,
      source: { state: "loading" },
      cancelRecovery: () => {},
    };
    informer.subscribe(() => {
      if (shared.source.state !== "ready" && informer.synced) tell({ state: "ready" });
    });
    void informer.run(stop.signal);
    return shared;
  }
}

export function sourceOf(error: unknown, of: Pick<CacheDefinition<KubeObject>, "kind" | "namespace">): Source {
  if (isForbidden(error)) return { state: "denied", rule: ruleOf(of, "list") };
  if (isNotFound(error)) return { state: "absent" };
  return { state: "failed", message: errorText(error) };
}

function ruleOf({ kind, namespace = "" }: Pick<CacheDefinition<KubeObject>, "kind" | "namespace">, verb: string): Rule {
  return { verb, group: parseApiVersion(kind.apiVersion).group, resource: kind.plural, namespace };
}
