import type { Client } from "../../../../cluster/kube/client.ts";
import type { Cluster } from "../../../../cluster/kube/connect/connection.ts";
import type { Clock } from "../../../../cluster/runtime/clock.ts";
import type { LogBudget } from "../container/container-log.ts";
import type { PodEvents } from "./pod-events.ts";
import type { Program } from "../container/program.ts";
import type { VirtualNode } from "../node/virtual-node.ts";

/** What all pods of a process are run with. */
export interface PodSurroundings {
  /** As the kubelet of this node. */
  readonly kubelet: (node: string) => Client;
  readonly cluster: Cluster;
  readonly program?: Program;
  readonly clock: Clock;
  readonly budget: LogBudget;
  readonly events: PodEvents;
  /** Something happened to the pod by itself. */
  readonly changed: (key: string) => void;
}

/** Where one pod is, for its containers. */
export interface PodPlace {
  readonly key: string;
  readonly node: VirtualNode;
  readonly podIP: string;
  readonly surroundings: PodSurroundings;
  /** Whether the pod was told to end, also while something was waited for. */
  readonly isEnding: () => boolean;
}

export const hostIP = "127.0.0.1";
/** How long before something that a pod lacks is looked for again. */
export const retryMs = 5000;

export interface Now {
  readonly wall: number;
  readonly monotonic: number;
}

export function nowOn(clock: Clock): Now {
  return { wall: clock.now(), monotonic: clock.monotonic() };
}
