import { setMaxListeners } from "node:events";
import { GarbageCollector } from "../../src/embedded/apiserver/housekeeping/garbage-collector.ts";
import { SmallServer } from "../../src/embedded/apiserver/testing/small-server.ts";
import type { Client, KindRef } from "../../src/cluster/kube/client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import type { KubeObject, ObjectMeta } from "../../src/language/object/meta.ts";
import { formatTime } from "../../src/language/object/time.ts";
import { noLog } from "../../src/cluster/runtime/log/log.ts";
import { createWorkloadCaches, runWorkloadCaches } from "../../src/embedded/lab/workloads/workload-caches.ts";
import type { Pod } from "../../src/embedded/lab/workloads/workload-objects.ts";
import type { WorkloadOptions } from "../../src/embedded/lab/workloads/workload-options.ts";
import { DirectClient, type DirectClientOptions } from "./direct-client.ts";

export type Run = (options: WorkloadOptions & { signal: AbortSignal }) => Promise<void>;

/** An API server, the controllers under test, and simulated kubelets, on one clock that the test advances. */
export class Stage {
  readonly server = new SmallServer();
  /** The test's own client. */
  readonly client: Client = new DirectClient(this.server);
  readonly #controllers: readonly Run[];
  readonly #stopCollecting: () => void;
  #running: { stop: AbortController; ended: Promise<unknown> } | undefined;
  /** The next status of a pod, or undefined for no change. Pods are ready at once by default. */
  play: (pod: Pod) => object | undefined = (pod) => this.ready(pod);

  constructor(...controllers: Run[]) {
    this.#controllers = controllers;
    this.#stopCollecting = new GarbageCollector(this.server.services, noLog).start();
  }

  get clock(): SmallServer["clock"] {
    return this.server.clock;
  }

  /** Starts the controllers as after a crash: with empty caches. */
  start(options: DirectClientOptions = {}): void {
    const stop = new AbortController();
    const { signal } = stop;
    setMaxListeners(0, signal);
    const { clock } = this;
    const client = new DirectClient(this.server, options);
    const caches = createWorkloadCaches(client, { clock, freeze: true });
    const parts = [
      runWorkloadCaches(caches, signal),
      ...this.#controllers.map((run) => run({ client, caches, clock, signal })),
    ];
    this.#running = { stop, ended: Promise.allSettled(parts) };
  }

  async crash(): Promise<void> {
    this.#running?.stop.abort();
    await this.clock.advance(40_000);
    await this.#running?.ended;
    this.#running = undefined;
  }

  async close(): Promise<void> {
    await this.crash();
    this.#stopCollecting();
  }

  /** Lets kubelets and controllers work until there is no write for a second. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < 10;) {
      const before = this.server.store.revision;
      await this.playKubelets();
      await this.clock.advance(100);
      quiet = this.server.store.revision === before ? quiet + 1 : 0;
    }
  }

  async playKubelets(): Promise<void> {
    for (const pod of await this.pods()) {
      const { name = "", namespace = "", deletionTimestamp } = pod.metadata;
      if (deletionTimestamp !== undefined) {
        if (pod.spec?.nodeName)
          await this.client.delete(kinds.pod, name, { namespace, gracePeriodSeconds: 0 }).catch(() => {});
        continue;
      }
      const status = this.play(pod);
      if (status && pod.status?.phase !== (status as Pod["status"])?.phase)
        await this.client.patch(
          kinds.pod,
          name,
          { type: "merge", patch: { status } },
          { namespace, subresource: "status" },
        );
    }
  }

  ready(pod: Pod): object {
    const time = formatTime(this.clock.now());
    const conditions = [{ type: "Ready", status: "True", lastTransitionTime: time }];
    return {
      phase: "Running",
      conditions,
      startTime: time,
      podIP: `10.0.0.${(pod.metadata.uid ?? "a").charCodeAt(0)}`,
    };
  }

  /** Creates an object, in the namespace `default` unless it has another. */
  async create<T extends KubeObject>(of: KindRef<T>, object: Omit<T, "apiVersion" | "kind">): Promise<T> {
    const { apiVersion, kind } = of;
    const metadata = { namespace: "default", ...(object.metadata as ObjectMeta) };
    return this.client.create(of, { ...object, apiVersion, kind, metadata } as unknown as T);
  }

  async merge<T extends KubeObject>(of: KindRef<T>, name: string, patch: object): Promise<T> {
    return this.client.patch(of, name, { type: "merge", patch }, { namespace: "default" });
  }

  async get<T extends KubeObject>(of: KindRef<T>, name: string): Promise<T> {
    return this.client.get(of, name, { namespace: "default" });
  }

  async list<T extends KubeObject>(of: KindRef<T>): Promise<T[]> {
    return (await this.client.list(of)).items;
  }

  pods(): Promise<Pod[]> {
    return this.list(kinds.pod);
  }

  /** Reasons and messages of the events of this kind. */
  async events(kind: string): Promise<string[]> {
    const of = { apiVersion: "v1", kind: "Event", plural: "events", namespaced: true };
    const events = await this.list<
      KubeObject & { involvedObject?: { kind?: string }; reason?: string; message?: string }
    >(of);
    return events
      .filter(({ involvedObject }) => involvedObject?.kind === kind)
      .map(({ reason, message }) => `${reason}: ${message}`);
  }
}

/** A new stage with its namespace. */
export async function prepared(...controllers: Run[]): Promise<Stage> {
  const stage = new Stage(...controllers);
  await stage.server.createNamespaces("default");
  await stage.create(kinds.serviceAccount, { metadata: { name: "default" } });
  return stage;
}

export async function staged(...controllers: Run[]): Promise<Stage> {
  const stage = await prepared(...controllers);
  stage.start();
  return stage;
}
