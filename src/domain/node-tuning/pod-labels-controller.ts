import type { Labels } from "../machine-config/pools.ts";
import type { CacheEvent, Informer } from "../../cluster/kube/cache.ts";
import type { Client } from "../../cluster/kube/client.ts";
import { createInformer } from "../../cluster/kube/informer/informer.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import { LinkedAbort } from "../../cluster/kube/linked-abort.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";

interface PodFacts extends KubeObject {
  spec?: { nodeName?: string | undefined };
}

export interface PodLabelsOptions {
  client: Client;
  clock: Clock;
  /** Ends the watch for good. */
  signal: AbortSignal;
  changed: () => void;
}

/** Labels of all pods of a cluster, watched only while a rule matches them: there are many, and they change often. */
export class PodLabels {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #changed: () => void;
  #running: { informer: Informer<PodFacts>; stop: LinkedAbort } | undefined;

  constructor({ client, clock, signal, changed }: PodLabelsOptions) {
    this.#client = client;
    this.#clock = clock;
    this.#signal = signal;
    this.#changed = changed;
  }

  get watching(): boolean {
    return this.#running !== undefined;
  }

  /** Whether the labels are known. Starts the watch if need be; `changed` is called once they are known. */
  ready(): boolean {
    this.#running ??= this.#start();
    return this.#running.informer.synced;
  }

  on(node: string): readonly Labels[] {
    return (this.#running?.informer.byIndex("node", node) ?? []).map(({ metadata }) => metadata.labels ?? {});
  }

  stop(): void {
    this.#running?.stop.abort();
    this.#running = undefined;
  }

  #start(): { informer: Informer<PodFacts>; stop: LinkedAbort } {
    const stop = new LinkedAbort(this.#signal);
    const informer = createInformer<KubeObject, PodFacts>(this.#client, kinds.pod, {
      clock: this.#clock,
      project: facts,
      indexes: { node: ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []) },
    });
    informer.subscribe((event) => {
      if (informer.synced && matters(event)) this.#changed();
    });
    void informer.run(stop.signal);
    informer.whenSynced(stop.signal).then(this.#changed, () => {});
    return { informer, stop };
  }
}

function facts({ apiVersion, kind, metadata, spec }: PodFacts): PodFacts {
  const { name, namespace, uid, resourceVersion, labels } = metadata;
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, uid, resourceVersion, labels },
    spec: { nodeName: spec?.nodeName },
  };
}

/** A pod concerns a node once it is scheduled, and a rule only by its labels. */
function matters(event: CacheEvent<PodFacts>): boolean {
  if (!event.object.spec?.nodeName) return false;
  if (event.type !== "updated") return Object.keys(event.object.metadata.labels ?? {}).length > 0;
  const seen = ({ metadata, spec }: PodFacts): string => JSON.stringify([metadata.labels, spec?.nodeName]);
  return seen(event.before) !== seen(event.object);
}
