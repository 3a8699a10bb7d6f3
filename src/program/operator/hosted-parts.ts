import type { Client } from "../../cluster/kube/client.ts";
import type { RefusedWrites } from "../../cluster/kube/refused-writes.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import type { Log } from "../../cluster/runtime/log/log.ts";
import type { Metrics } from "../../cluster/runtime/metrics/metrics.ts";
import type { Protocol } from "../../domain/node-tuning/api.ts";
import type { LatestBootDecision } from "../../domain/node-tuning/boot/boot-decision.ts";
import type { NodeTuningCaches } from "../../domain/node-tuning/node-tuning-controller.ts";
import type { ClusterFeatures } from "./cluster-features.ts";

/** Where the control plane of a hosted cluster is. */
export interface ControlPlanePlace {
  /** Of the management cluster, with rights on ConfigMaps and Events of this namespace only. */
  readonly client: Client;
  readonly namespace: string;
}

export interface HostedParts {
  readonly place: ControlPlanePlace;
  /** `place.client` of the leader. */
  readonly writer: Client;
  /** Of the hosted cluster: for caches, which every replica keeps, and of the leader. */
  readonly hosted: { readonly client: Client; readonly writer: Client };
  /** By the hosted cluster: its users may have policies against them. */
  readonly refused: RefusedWrites;
  readonly features: ClusterFeatures;
  readonly caches: NodeTuningCaches;
  /** Of Tuneds. */
  readonly namespace: string;
  readonly boot: LatestBootDecision;
  readonly protocol: Protocol;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
}
