import type { KubeObject } from "../../../language/object/meta.ts";
import { printable } from "../../rollout/node-annotations.ts";
import { labelValue } from "../label-value.ts";
import { nodeConfigLabel, releaseName } from "../names.ts";
import { outcomeAnnotation } from "./gate-names.ts";

export interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

/**
 * Lets a database start. The ConfigMap's existence is enough: one that was created by hand, or by the operator because nothing is tuned
 * for the database, has no data.
 */
export interface Release {
  /**
   * As in the pod's status, with the runtime's name. The node was tuned for the CPUs of this container, so no other container of the
   * pod may start. Without it any may.
   */
  containerId?: string;
  /** In list format: `0,4-7`. Empty if interrupts were left where they are. */
  irqCpus?: string;
  /** `tuned`, or `skipped: ` and a reason. For people, so it is an annotation. */
  outcome?: string;
  /** Of the agent that wrote it, which a policy holds to its own. What an agent writes for a pod of another node opens nothing. */
  node?: string;
}

interface ReleasedPod {
  metadata: { name?: string | undefined; namespace?: string | undefined; uid?: string | undefined };
}

/** The ConfigMap of a release. It is deleted with its pod. */
export function releaseConfigMap(pod: ReleasedPod, release: Release, nodeConfig?: string): ConfigMap {
  const { name = "", namespace = "", uid = "" } = pod.metadata;
  const data = Object.entries({
    containerID: release.containerId,
    irqCpus: release.irqCpus,
    node: release.node,
  }).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: releaseName(uid),
      namespace,
      ...(nodeConfig === undefined ? {} : { labels: { [nodeConfigLabel]: labelValue(nodeConfig) } }),
      ...(release.outcome === undefined ? {} : { annotations: { [outcomeAnnotation]: release.outcome } }),
      ownerReferences: [{ apiVersion: "v1", kind: "Pod", name, uid }],
    },
    ...(data.length > 0 ? { data: Object.fromEntries(data) } : {}),
  };
}

/** More than any list of CPUs has. */
const longest = 8192;

/**
 * What a ConfigMap says. Blank values, as a hand-written one may have, say nothing. Users and agents of other nodes may write anything:
 * nothing of it reaches a terminal unescaped.
 */
export function readRelease({ metadata: { annotations }, data }: ConfigMap): Release {
  const shown = (text = ""): string => printable(text.trim(), longest);
  const [containerId, node] = [shown(data?.["containerID"]), shown(data?.["node"])];
  const outcome = shown(annotations?.[outcomeAnnotation]);
  return {
    ...(containerId ? { containerId } : {}),
    ...(data?.["irqCpus"] === undefined ? {} : { irqCpus: shown(data["irqCpus"]) }),
    ...(outcome ? { outcome } : {}),
    ...(node ? { node } : {}),
  };
}

/** A container of the pod, and the node that it runs on, as far as they are known. */
export interface Started {
  readonly containerId: string | undefined;
  readonly node: string | undefined;
}

export function releases({ containerId, node }: Release, started: Started): boolean {
  return isOfNode(node, started) && (containerId === undefined || containerId === started.containerId);
}

/** Whether what an agent wrote counts for a pod; what is written by hand names no node. */
export function isOfNode(writer: string | undefined, { node }: Pick<Started, "node">): boolean {
  return writer === undefined || writer === node;
}

/** What is cached of a release: users may add data of any size. */
export function projectRelease({ apiVersion, kind, metadata, data }: ConfigMap): ConfigMap {
  const { name, namespace, uid, resourceVersion } = metadata;
  const kept = Object.entries(data ?? {}).filter(([key]) => key === "containerID" || key === "node");
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, uid, resourceVersion },
    ...(kept.length > 0 ? { data: Object.fromEntries(kept) } : {}),
  };
}
