import type { PodTemplateSpec, Volume } from "kubernetes-types/core/v1.js";
import { omitUndefined } from "../../../../language/object/json.ts";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import { podFromTemplate } from "../pods/pod-from-template.ts";
import { replicasOf } from "../pods/replicas.ts";
import type { Pod, StatefulSet } from "../workload-objects.ts";

const nameLabel = "statefulset.kubernetes.io/pod-name";
const indexLabel = "apps.kubernetes.io/pod-index";
const revisionLabel = "controller-revision-hash";

/** The ordinal at the end of the name of one of the set's pods; undefined for any other pod. */
export function ordinalOf(pod: Pod, set: StatefulSet): number | undefined {
  const { name = "" } = pod.metadata;
  const dash = name.lastIndexOf("-");
  const digits = name.slice(dash + 1);
  if (dash < 0 || name.slice(0, dash) !== set.metadata.name) return undefined;
  return /^\d{1,10}$/.test(digits) && Number(digits) < 2 ** 31 ? Number(digits) : undefined;
}

/** The ordinals of the set's pods: from `start`, before `end`. */
export function ordinalsOf(set: StatefulSet): { start: number; end: number } {
  const start = set.spec?.ordinals?.start ?? 0;
  return { start, end: start + replicasOf(set) };
}

export function isInRange(ordinal: number, set: StatefulSet): boolean {
  const { start, end } = ordinalsOf(set);
  return ordinal >= start && ordinal < end;
}

export function claimName(set: StatefulSet, template: string, ordinal: number): string {
  return `${template}-${set.metadata.name}-${ordinal}`;
}

/** The pod of an ordinal: its name, host name, labels and volumes are the same whenever it is created again. */
export function statefulPod(set: StatefulSet, template: PodTemplateSpec, revision: string, ordinal: number): Pod {
  const pod = podFromTemplate(kinds.statefulSet, set, template);
  const { metadata } = pod;
  const name = `${set.metadata.name}-${ordinal}`;
  return {
    ...pod,
    metadata: {
      ...metadata,
      name,
      labels: { ...metadata.labels, ...identity(name, ordinal), [revisionLabel]: revision },
    },
    spec: omitUndefined({
      ...pod.spec!,
      hostname: name,
      subdomain: set.spec?.serviceName || undefined,
      volumes: volumes(set, template, ordinal),
    }),
  };
}

function identity(name: string, ordinal: number): Record<string, string> {
  return { [nameLabel]: name, [indexLabel]: String(ordinal) };
}

/** A claim template replaces a volume of the same name. */
function volumes(set: StatefulSet, template: PodTemplateSpec, ordinal: number): Volume[] {
  const claimed = (set.spec?.volumeClaimTemplates ?? []).map(({ metadata }): Volume => {
    const name = metadata?.name ?? "";
    return { name, persistentVolumeClaim: { claimName: claimName(set, name, ordinal) } };
  });
  const names = new Set(claimed.map(({ name }) => name));
  return [...claimed, ...(template.spec?.volumes ?? []).filter(({ name }) => !names.has(name))];
}

/** The pod with the labels of its identity, if it lacks them: a client removed one, or the pod was adopted. */
export function identified(pod: Pod, ordinal: number): Pod | undefined {
  const { name = "", labels } = pod.metadata;
  if (labels?.[nameLabel] === name) return undefined;
  return { ...pod, metadata: { ...pod.metadata, labels: { ...labels, ...identity(name, ordinal) } } };
}

export function podRevision({ metadata }: Pod): string {
  return metadata.labels?.[revisionLabel] ?? "";
}
