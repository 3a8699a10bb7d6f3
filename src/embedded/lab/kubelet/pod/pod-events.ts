import type { Client } from "../../../../cluster/kube/client.ts";
import type { ObjectReference, PlannedEvent } from "../../../../language/object/plan.ts";
import type { Clock } from "../../../../cluster/runtime/clock.ts";
import { EventRecorder } from "../../../../cluster/runtime/event/event-recorder.ts";
import { TokenBucket } from "../../../../cluster/runtime/queue/rate-limit.ts";

export interface PodEventsOptions {
  /** The client that acts as the kubelet of this node. */
  readonly kubelet: (node: string) => Client;
  readonly clock: Clock;
}

/** The limit of Normal events: a few pods get all of theirs, of thousands at once only some do. */
const normalEvents = { burst: 100, perSecond: 3 };
/** Events that a recorder remembers for counting. Each node has its own recorder, and few pods. */
const remembered = 128;

/** The events of kubelets. Warnings are always recorded, Normal events up to a rate. */
export class PodEvents {
  readonly #options: PodEventsOptions;
  readonly #normalEvents: TokenBucket;
  readonly #recorders = new Map<string, EventRecorder>();

  constructor(options: PodEventsOptions) {
    this.#options = options;
    this.#normalEvents = new TokenBucket(normalEvents, options.clock);
  }

  started(pod: ObjectReference, node: string, image = ""): void {
    if (!this.#normalEvents.tryTake()) return;
    const message = `Container image "${image}" already present on machine`;
    this.#record(pod, node, { type: "Normal", reason: "Pulled", message });
    this.#record(pod, node, { type: "Normal", reason: "Created", message: "Container created" });
    this.#record(pod, node, { type: "Normal", reason: "Started", message: "Container started" });
  }

  stopping(pod: ObjectReference, node: string, container: string): void {
    if (this.#normalEvents.tryTake())
      this.#record(pod, node, { type: "Normal", reason: "Killing", message: `Stopping container ${container}` });
  }

  warn(pod: ObjectReference, node: string, reason: string, message: string): void {
    this.#record(pod, node, { type: "Warning", reason, message });
  }

  /** Writes the events that are queued. */
  async stop(): Promise<void> {
    await Promise.all(Array.from(this.#recorders.values(), (recorder) => recorder.stop()));
  }

  #record({ apiVersion, kind, metadata }: ObjectReference, node: string, event: Omit<PlannedEvent, "regarding">): void {
    let recorder = this.#recorders.get(node);
    if (!recorder) {
      const { kubelet, clock } = this.#options;
      recorder = new EventRecorder({ client: kubelet(node), component: "kubelet", host: node, clock, remembered });
      this.#recorders.set(node, recorder);
    }
    const { name, namespace, uid } = metadata;
    recorder.record({ regarding: { apiVersion, kind, metadata: { name, namespace, uid } }, ...event });
  }
}
