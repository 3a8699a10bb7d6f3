import type { Client } from "../../../../cluster/kube/client.ts";
import type { ObjectReference } from "../../../../language/object/plan.ts";
import type { Clock } from "../../../../cluster/runtime/clock.ts";
import { EventRecorder } from "../../../../cluster/runtime/event/event-recorder.ts";
import { TokenBucket } from "../../../../cluster/runtime/queue/rate-limit.ts";

export interface PodEventsOptions {
  /** As the kubelet of this node. */
  readonly kubelet: (node: string) => Client;
  readonly clock: Clock;
}

/** How many pods' good news are told: a few pods in full, of thousands at once only some. */
const goodNews = { burst: 100, perSecond: 3 };
/** A recorder is made for one node, which has few pods. */
const remembered = 128;

/** What kubelets tell of their pods. What goes wrong is told always, what goes well as long as it is not too much. */
export class PodEvents {
  readonly #options: PodEventsOptions;
  readonly #goodNews: TokenBucket;
  readonly #recorders = new Map<string, EventRecorder>();

  constructor(options: PodEventsOptions) {
    this.#options = options;
    this.#goodNews = new TokenBucket(goodNews, options.clock);
  }

  started(pod: ObjectReference, node: string, image = ""): void {
    if (!this.#goodNews.tryTake()) return;
    this.#record(pod, node, "Normal", "Pulled", `Container image "${image}" already present on machine`);
    this.#record(pod, node, "Normal", "Created", "Container created");
    this.#record(pod, node, "Normal", "Started", "Container started");
  }

  stopping(pod: ObjectReference, node: string, container: string): void {
    if (this.#goodNews.tryTake()) this.#record(pod, node, "Normal", "Killing", `Stopping container ${container}`);
  }

  warn(pod: ObjectReference, node: string, reason: string, message: string): void {
    this.#record(pod, node, "Warning", reason, message);
  }

  /** Writes what waits. */
  async stop(): Promise<void> {
    await Promise.all(Array.from(this.#recorders.values(), (recorder) => recorder.stop()));
  }

  #record(
    { apiVersion, kind, metadata }: ObjectReference,
    node: string,
    type: "Normal" | "Warning",
    reason: string,
    message: string,
  ): void {
    let recorder = this.#recorders.get(node);
    if (!recorder) {
      const { kubelet, clock } = this.#options;
      recorder = new EventRecorder({ client: kubelet(node), component: "kubelet", host: node, clock, remembered });
      this.#recorders.set(node, recorder);
    }
    const { name, namespace, uid } = metadata;
    recorder.record({ regarding: { apiVersion, kind, metadata: { name, namespace, uid } }, type, reason, message });
  }
}
