import { kinds } from "../../../cluster/kube/kinds.ts";
import { leaseKind } from "../../../cluster/runtime/leader/lease.ts";
import {
  containerRuntimeConfigKind,
  controllerConfigKind,
  kubeletConfigKind,
  machineConfigKind,
  machineConfigPoolKind,
} from "../../../domain/machine-config/api.ts";
import { keys } from "../../../domain/hosted/protocol.ts";
import { hostedClusterKind, nodePoolKind } from "../../../domain/node-pool/api.ts";
import { profileKind, tunedKind } from "../../../domain/node-tuning/api.ts";
import { clusterOperatorKind } from "../../../domain/node-tuning/node-tuning-controller.ts";
import { performanceProfileKind } from "../../../domain/performance-profile/api.ts";
import { scyllaNodeConfigKind, scyllaOperatorConfigKind } from "../../../domain/scylla/api.ts";
import { infrastructureKind } from "../../../domain/workload-partitioning/identifier.ts";
import type { KindRef, KubeObject } from "../../../language/object/meta.ts";

/** Objects of one kind that belong into a bundle. */
export interface Content {
  readonly kind: KindRef;
  /**
   * `own`: of the namespaces of Attune. `all`: of the cluster. `controlPlanes`: of the namespaces with control planes of hosted
   * clusters. `given`: those that NodePools name.
   */
  readonly of: "own" | "all" | "controlPlanes" | "given";
  readonly labelSelector?: string;
  /** Default: every one. */
  readonly keeps?: (object: KubeObject) => boolean;
}

/** Control planes have many other pods. */
export const ofAttune = "app.kubernetes.io/part-of=attune";

const isOurs = ({ metadata: { name = "" } }: KubeObject): boolean => /attune|node-tuning|tuned|performance/.test(name);

/** What decides about nodes, the most useful first: what no longer fits is left out. Secrets are not among it. */
export const contents: readonly Content[] = [
  { kind: tunedKind, of: "all" },
  { kind: performanceProfileKind, of: "all" },
  { kind: machineConfigPoolKind, of: "all" },
  { kind: kubeletConfigKind, of: "all" },
  { kind: containerRuntimeConfigKind, of: "all" },
  { kind: nodePoolKind, of: "all" },
  { kind: hostedClusterKind, of: "all" },
  { kind: scyllaNodeConfigKind, of: "all" },
  { kind: scyllaOperatorConfigKind, of: "all" },
  { kind: infrastructureKind, of: "all" },
  { kind: controllerConfigKind, of: "all" },
  { kind: clusterOperatorKind, of: "all", keeps: isOurs },
  { kind: kinds.mutatingWebhookConfiguration, of: "all", keeps: isOurs },
  { kind: kinds.validatingWebhookConfiguration, of: "all", keeps: isOurs },
  { kind: kinds.runtimeClass, of: "all", keeps: isOurs },
  { kind: leaseKind, of: "own" },
  { kind: kinds.daemonSet, of: "own" },
  { kind: kinds.deployment, of: "own" },
  { kind: kinds.pod, of: "own" },
  { kind: kinds.configMap, of: "own", keeps: ({ metadata }) => metadata.name !== "kube-root-ca.crt" },
  { kind: kinds.configMap, of: "given" },
  { kind: kinds.configMap, of: "all", labelSelector: keys.nodePool },
  { kind: kinds.deployment, of: "controlPlanes", labelSelector: ofAttune },
  { kind: kinds.pod, of: "controlPlanes", labelSelector: ofAttune },
  { kind: profileKind, of: "all" },
  { kind: machineConfigKind, of: "all" },
  { kind: kinds.node, of: "all" },
];
