import { group } from "../machine-config/api.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { agentAnnotations, ownAnnotations } from "./node-annotations.ts";

export interface Taint {
  key?: string;
  value?: string;
  effect?: string;
  timeAdded?: string;
}

/** The part of a Node that a rollout reads. */
export interface RolloutNode extends KubeObject {
  readonly spec?: { readonly unschedulable?: boolean; readonly taints?: readonly Taint[] };
  readonly status?: {
    readonly conditions?: readonly NodeCondition[];
    readonly nodeInfo?: { readonly bootID?: string; readonly containerRuntimeVersion?: string };
  };
}

export interface NodeCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** True on a node that several custom pools select. */
export const conflictCondition = "MachineConfigPoolConflict";

const judgedConditions: readonly string[] = ["Ready", "DiskPressure", "NetworkUnavailable", conflictCondition];
const { findings, tunedBoot } = agentAnnotations;
const own: readonly string[] = [...Object.values(ownAnnotations), findings, tunedBoot];

/** Drops heartbeats, images and the annotations of others: they are most of a Node, and no decision reads them. */
export function projectRolloutNode({ apiVersion, kind, metadata, spec, status }: RolloutNode): RolloutNode {
  const { name, uid, resourceVersion, creationTimestamp, labels, annotations = {} } = metadata;
  const kept = Object.entries(annotations).filter(([key]) => key.startsWith(`${group}/`) || own.includes(key));
  const conditions = (status?.conditions ?? []).filter(({ type }) => judgedConditions.includes(type));
  return {
    apiVersion,
    kind,
    metadata: { name, uid, resourceVersion, creationTimestamp, labels, annotations: Object.fromEntries(kept) },
    spec: {
      ...(spec?.unschedulable ? { unschedulable: true } : {}),
      ...(spec?.taints?.length ? { taints: spec.taints } : {}),
    },
    status: {
      conditions: conditions.map(withoutHeartbeat),
      ...(status?.nodeInfo?.bootID ? { nodeInfo: { bootID: status.nodeInfo.bootID } } : {}),
    },
  };
}

function withoutHeartbeat({ type, status, reason, message }: NodeCondition): NodeCondition {
  // Messages of the kubelet are not read; that of the conflict is compared with the wanted one.
  return type === conflictCondition
    ? { type, status, ...(reason ? { reason } : {}), ...(message ? { message } : {}) }
    : { type, status };
}

/** The part of a projected Node on which decisions depend: a heartbeat changes nothing. */
export function rolloutFactsOf({ metadata: { uid, labels, annotations }, spec, status }: RolloutNode): string {
  return JSON.stringify([uid, labels, annotations, spec, status]);
}

/** By the kubelet's word: `containerd://2.1.4`, `cri-o://1.33.2`. A node that has not said it may have CRI-O. */
export function lacksCrio({ status }: RolloutNode): boolean {
  const version = status?.nodeInfo?.containerRuntimeVersion ?? "";
  return version !== "" && !version.startsWith("cri-o://");
}
