import type { PodTemplateSpec, Volume } from "kubernetes-types/core/v1.js";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import { podFromTemplate } from "../pods/pod-from-template.ts";
import type { Pod, StatefulSet } from "../workload-objects.ts";
import { claimName } from "./volume-claims.ts";

const nameLabel = "statefulset.kubernetes.io/pod-name";
const indexLabel = "apps.kubernetes.io/pod-index";
const revisionLabel = "controller-revision-hash";

/** The pod of one number: its name, host name, labels and volumes stay the same whenever it is made again. */
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
    spec: {
      ...pod.spec!,
      hostname: name,
      subdomain: set.spec?.serviceName || undefined,
      volumes: volumes(set, template, ordinal),
    },
  };
}

function identity(name: string, ordinal: number): Record<string, string> {
  return { [nameLabel]: name, [indexLabel]: String(ordinal) };
}

/** Claims take the place of volumes of the same name. */
function volumes(set: StatefulSet, template: PodTemplateSpec, ordinal: number): Volume[] {
  const claimed = (set.spec?.volumeClaimTemplates ?? []).map(({ metadata }): Volume => {
    const name = metadata?.name ?? "";
    return { name, persistentVolumeClaim: { claimName: claimName(set, name, ordinal) } };
  });
  const names = new Set(claimed.map(({ name }) => name));
  return [...claimed, ...(template.spec?.volumes ?? []).filter(({ name }) => !names.has(name))];
}

/** The pod with the labels of its identity, if it lacks one: somebody took it away, or the pod was adopted. */
export function identified(pod: Pod, ordinal: number): Pod | undefined {
  const { name = "", labels } = pod.metadata;
  if (labels?.[nameLabel] === name) return undefined;
  return { ...pod, metadata: { ...pod.metadata, labels: { ...labels, ...identity(name, ordinal) } } };
}

export function podRevision({ metadata }: Pod): string {
  return metadata.labels?.[revisionLabel] ?? "";
}
