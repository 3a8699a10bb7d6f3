import type { Affinity, PodTemplateSpec } from "kubernetes-types/core/v1.js";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import { daemonTolerations } from "../../../../language/object/scheduling/tolerations.ts";
import { podFromTemplate } from "../pods/pod-from-template.ts";
import type { DaemonSet, Pod } from "../workload-objects.ts";

export const revisionLabel = "controller-revision-hash";
const generationLabel = "pod-template-generation";
const generationAnnotation = "deprecated.daemonset.template.generation";

/** The pod of a node. Its affinity names the node, so that the scheduler binds it there. */
export function daemonPod(daemonSet: DaemonSet, template: PodTemplateSpec, hash: string, nodeName: string): Pod {
  const pod = podFromTemplate(kinds.daemonSet, daemonSet, template);
  const generation = daemonSet.metadata.annotations?.[generationAnnotation];
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      labels: {
        ...pod.metadata.labels,
        ...(generation && { [generationLabel]: generation }),
        [revisionLabel]: hash,
      },
    },
    ...(pod.spec && {
      spec: {
        ...pod.spec,
        tolerations: daemonTolerations(pod.spec),
        affinity: onlyOn(nodeName, pod.spec.affinity),
      },
    }),
  };
}

/** Replaces the template's required terms: the node was checked against them before. */
function onlyOn(nodeName: string, affinity: Affinity | undefined): Affinity {
  const matchFields = [{ key: "metadata.name", operator: "In", values: [nodeName] }];
  return {
    ...affinity,
    nodeAffinity: {
      ...affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] },
    },
  };
}

/** The node that a pod runs on, or that its affinity names. */
export function nodeOf({ spec }: Pod): string {
  if (spec?.nodeName) return spec.nodeName;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  for (const { matchFields } of required?.nodeSelectorTerms ?? [])
    for (const { key, operator, values } of matchFields ?? [])
      if (key === "metadata.name" && operator === "In" && values?.length === 1) return values[0]!;
  return "";
}
