import type { KubeObject } from "../../../language/object/meta.ts";
import type { ObjectReference, PlannedObject } from "../../../language/object/plan.ts";
import type { ConfigMap } from "../../hosted/envelope/read-manifests.ts";
import type { Compress } from "../../hosted/handover/packed-text.ts";
import type { Digest } from "../../machine-config/content-hash.ts";
import type { HostedCluster, NodePool } from "../api.ts";
import type { Outcome } from "../conditions.ts";
import type { MachineProvider } from "../machine-provider.ts";
import type { Payload } from "../payload.ts";

export interface Secret extends KubeObject {
  /** In base64. */
  data?: Record<string, string> | undefined;
  type?: string | undefined;
}

export interface RolloutInput {
  readonly nodePool: NodePool;
  readonly hostedCluster: HostedCluster;
  /** Of the control plane. */
  readonly namespace: string;
  readonly payload: Payload;
  /** Of the NodePool's release, such as `4.22.0`. */
  readonly version: string;
  /** See `pauseOf`. Machines, Secrets and nodes stay as they are. */
  readonly isPaused: boolean;
  /** ConfigMaps and Secrets of the control plane namespace. */
  readonly controlPlane: readonly ConfigMap[];
  readonly secrets: readonly Secret[];
  /** Of the server that new machines fetch their configuration from: PEM in base64. */
  readonly authority?: string | undefined;
  /** Absent: no machines are made; nodes join by other means. */
  readonly provider?: MachineProvider | undefined;
  /** Objects of the provider's kinds in the control plane namespace. */
  readonly machines: readonly KubeObject[];
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly digest: Digest;
  readonly compress: Compress;
  /** A random secret. */
  readonly newToken: () => string;
}

export interface RolloutPlan {
  readonly objects: readonly PlannedObject[];
  readonly prunes: readonly ObjectReference[];
  /** Conditions of the NodePool. */
  readonly outcomes: readonly Outcome[];
  /** Annotations that the NodePool gets. Written before its status. */
  readonly annotations: Readonly<Record<string, string>>;
  /** Fields of the status that change. */
  readonly status: Pick<NonNullable<NodePool["status"]>, "version" | "replicas">;
  /** Until something is due although nothing changes. */
  readonly requeueAfterMs?: number | undefined;
}
