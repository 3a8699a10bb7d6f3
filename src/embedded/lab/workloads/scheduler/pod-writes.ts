import { isNotFound } from "../../../../cluster/kube/api-error.ts";
import type { Client, KindRef } from "../../../../cluster/kube/client.ts";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import type { PlannedEvent } from "../../../../language/object/plan.ts";
import { formatTime } from "../../../../language/object/time.ts";
import type { Clock } from "../../../../cluster/runtime/clock.ts";
import { TokenBucket } from "../../../../cluster/runtime/queue/rate-limit.ts";
import type { PodFacts } from "./pod-facts.ts";

export interface PodWritesOptions {
  client: Client;
  clock: Clock;
  recorder?: { record(event: PlannedEvent): void };
}

/** The target of a Binding: its body is no Pod. */
const podAnything: KindRef = kinds.pod;

/** The limit of Scheduled events: of thousands of pods at once only some get one. */
const scheduledEvents = { burst: 100, perSecond: 10 };

/** The requests of the scheduler. */
export class PodWrites {
  readonly #options: PodWritesOptions;
  readonly #scheduledEvents: TokenBucket;

  constructor(options: PodWritesOptions) {
    this.#options = options;
    this.#scheduledEvents = new TokenBucket(scheduledEvents, options.clock);
  }

  async bind({ name, namespace, uid, key }: PodFacts, nodeName: string): Promise<void> {
    const binding = {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name, namespace, uid },
      target: { apiVersion: "v1", kind: "Node", name: nodeName },
    };
    await this.#options.client.create(podAnything, binding, { namespace, name, subresource: "binding" });
    if (this.#scheduledEvents.tryTake())
      this.#event({ name, namespace, uid }, "Normal", "Scheduled", `Successfully assigned ${key} to ${nodeName}`);
  }

  /** The node of the pod, read from the API server. */
  async nodeOf({ name, namespace, uid }: PodFacts): Promise<{ type: "gone" } | { type: "pod"; nodeName: string }> {
    try {
      const pod = await this.#options.client.get(kinds.pod, name, { namespace });
      return pod.metadata.uid === uid ? { type: "pod", nodeName: pod.spec?.nodeName ?? "" } : { type: "gone" };
    } catch (error) {
      if (isNotFound(error)) return { type: "gone" };
      throw error;
    }
  }

  /** Sets the PodScheduled condition and the nominated node, where they differ. */
  async report(
    pod: PodFacts,
    reason: "Unschedulable" | "SchedulingGated",
    message: string,
    nominatedNode = "",
  ): Promise<void> {
    const known = pod.reported?.reason === reason && pod.reported.message === message;
    if (reason === "Unschedulable") this.#event(pod, "Warning", "FailedScheduling", message);
    if (known && pod.nominatedNode === nominatedNode) return;
    const now = formatTime(this.#options.clock.now());
    const condition = { type: "PodScheduled", status: "False", reason, message, lastTransitionTime: now };
    await this.#patchStatus(pod, { conditions: [condition], nominatedNodeName: nominatedNode || null });
  }

  /** Deletes a victim of a preemption. */
  async preempt(victim: PodFacts, by: PodFacts): Promise<void> {
    const now = formatTime(this.#options.clock.now());
    const message = "default-scheduler: preempting to accommodate a higher priority pod";
    const condition = { type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler", message };
    await this.#patchStatus(victim, { conditions: [{ ...condition, lastTransitionTime: now }] });
    const { name, namespace, uid } = victim;
    try {
      await this.#options.client.delete(kinds.pod, name, { namespace, preconditions: { uid } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    this.#event(victim, "Normal", "Preempted", `Preempted by pod ${by.uid} on node ${victim.nodeName}`);
  }

  async #patchStatus({ name, namespace, uid }: PodFacts, status: object): Promise<void> {
    // The uid is a precondition: never another pod of the same name.
    const patch = { metadata: { uid }, status };
    try {
      await this.#options.client.patch(
        kinds.pod,
        name,
        { type: "strategic", patch },
        { namespace, subresource: "status" },
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  #event(
    { name, namespace, uid }: { name: string; namespace: string; uid: string },
    type: "Normal" | "Warning",
    reason: string,
    message: string,
  ): void {
    const regarding = { apiVersion: "v1", kind: "Pod", metadata: { name, namespace, uid } };
    this.#options.recorder?.record({ regarding, type, reason, message });
  }
}
