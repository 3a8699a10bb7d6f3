import type { Client } from "../../../../cluster/kube/client.ts";
import type { Cluster } from "../../../../cluster/kube/connect/connection.ts";
import type { Clock } from "../../../../cluster/runtime/clock.ts";
import type { LogBudget } from "../container/container-log.ts";
import type { PodEvents } from "./pod-events.ts";
import type { SharedFiles } from "../container/shared-files.ts";
import type { Program } from "../container/program.ts";
import type { VirtualNode } from "../node/virtual-node.ts";

/** What all pods of a process share. */
export interface KubeletContext {
  /** The client that acts as the kubelet of this node. */
  readonly kubelet: (node: string) => Client;
  readonly cluster: Cluster;
  readonly program?: Program | undefined;
  readonly clock: Clock;
  readonly budget: LogBudget;
  readonly events: PodEvents;
  /** Queues the pod: one of its programs ended. */
  readonly changed: (key: string) => void;
}

/** One pod, as its containers see it. */
export interface PodContext {
  readonly key: string;
  readonly node: VirtualNode;
  readonly podIP: string;
  readonly shared: KubeletContext;
  /** The emptyDir with this name. */
  readonly emptyDir: (volume: string) => SharedFiles;
  /** Whether the pod is terminating. It may become so during any `await`. */
  readonly isEnding: () => boolean;
}

export const hostIP = "127.0.0.1";
/** How long until a missing ConfigMap or Secret is read again. */
export const retryMs = 5000;

export interface Now {
  readonly wall: number;
  readonly monotonic: number;
}

export function nowOn(clock: Clock): Now {
  return { wall: clock.now(), monotonic: clock.monotonic() };
}

/** The earliest time at which the pod must be synced again. */
export class NextSync {
  #due = Infinity;

  at(due: number): void {
    this.#due = Math.min(this.#due, due);
  }

  /** Milliseconds from `now`; `undefined` if nothing is due. */
  after(now: number): number | undefined {
    return this.#due === Infinity ? undefined : Math.max(1, this.#due - now);
  }
}
