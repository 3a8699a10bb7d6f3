import { isTrue } from "../../../language/object/condition.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { databaseContainer } from "../names.ts";
import { type ScyllaPod, scyllaPodLabels } from "../scylla-pod.ts";
import { isSidecar } from "./gated-pod.ts";
import { type Release, releases } from "./release.ts";

/** What is read of a StatefulSet. */
export interface StatefulSet extends KubeObject {
  spec?: { replicas?: number; template?: { metadata?: { labels?: Record<string, string> } } };
  status?: { observedGeneration?: number; readyReplicas?: number };
}

export interface OutdatedInput {
  /** Databases of a namespace. */
  readonly pods: readonly ScyllaPod[];
  /** Whether an agent tunes for a pod. */
  readonly isTargeted: (pod: ScyllaPod) => boolean;
  readonly releaseOf: (pod: ScyllaPod) => Release | undefined;
  /** Of the sidecars of new pods. */
  readonly image: string;
  /**
   * Since when pods get it, as the API server writes times. A younger pod has the gate that the webhook gave it: another one like it
   * would get no other.
   */
  readonly since: string;
}

/**
 * Databases that run without a gate, or with that of another version, the last of each StatefulSet first, as its controller does. Their node
 * is tuned for them, so that the next pod starts too.
 */
export function outdatedGates({ pods, isTargeted, releaseOf, image, since }: OutdatedInput): ScyllaPod[] {
  return pods
    .filter((pod) => {
      const sidecar = pod.spec?.containers?.find(isSidecar);
      if (sidecar?.image === image || (pod.metadata.creationTimestamp ?? "") >= since) return false;
      if (!isOfStatefulSet(pod) || !isTargeted(pod)) return false;
      const container = pod.status?.containerStatuses?.find(({ name }) => name === databaseContainer);
      const release = releaseOf(pod);
      const started = { containerId: container?.containerID, node: pod.spec?.nodeName };
      return isTrue(pod.status?.conditions, "Ready") && release !== undefined && releases(release, started);
    })
    .toSorted((a, b) => (a.metadata.name ?? "").localeCompare(b.metadata.name ?? "", "en", { numeric: true }))
    .toReversed();
}

function isOfStatefulSet({ metadata }: ScyllaPod): boolean {
  return metadata.ownerReferences?.some(({ kind, controller }) => controller && kind === "StatefulSet") ?? false;
}

/** What the ScyllaOperatorConfig notes about an image of gates, and since when it does; undefined if it notes another image. */
export function gatesSince(annotation: string | undefined, image: string): string | undefined {
  const [of, since] = annotation?.split(" since ") ?? [];
  return of === image ? since : undefined;
}

/** Whether every database of a namespace is ready: racks of one cluster are StatefulSets of their own, and must not restart together. */
export function areAllReady(sets: readonly StatefulSet[]): boolean {
  return sets.filter(isOfDatabases).every(({ metadata, spec, status }) => {
    const isCurrent = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
    return isCurrent && (status?.readyReplicas ?? 0) >= (spec?.replicas ?? 1);
  });
}

function isOfDatabases({ spec }: StatefulSet): boolean {
  const { labels } = spec?.template?.metadata ?? {};
  return Object.entries(scyllaPodLabels).every(([name, value]) => labels?.[name] === value);
}
