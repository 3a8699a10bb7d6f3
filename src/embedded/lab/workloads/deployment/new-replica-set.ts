import type { PodTemplateSpec } from "kubernetes-types/core/v1.js";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import { equal, omitUndefined } from "../../../../language/object/json.ts";
import { controllerReference } from "../pods/controller-of.ts";
import { templateHash } from "../pods/template-hash.ts";
import type { Deployment, ReplicaSet } from "../workload-objects.ts";

const hashLabel = "pod-template-hash";
const longestName = 253;

/** The same but for the hash that the Deployment adds. */
export function sameTemplate(a: PodTemplateSpec | undefined, b: PodTemplateSpec | undefined): boolean {
  return equal(bare(a), bare(b));
}

function bare(template: PodTemplateSpec | undefined): unknown {
  const { labels, annotations, finalizers } = template?.metadata ?? {};
  const { [hashLabel]: _, ...rest } = labels ?? {};
  return { labels: rest, annotations: annotations ?? {}, finalizers: finalizers ?? [], spec: template?.spec };
}

/** The ReplicaSet that has this template; the oldest, where there are several. */
export function findNewReplicaSet(deployment: Deployment, oldestFirst: readonly ReplicaSet[]): ReplicaSet | undefined {
  return oldestFirst.find(({ spec }) => sameTemplate(spec?.template, deployment.spec?.template));
}

/** A ReplicaSet for the template as it is now, without replicas. Its name follows from the template: it is made once. */
export function newReplicaSet(deployment: Deployment): ReplicaSet {
  const { template, selector, minReadySeconds } = deployment.spec!;
  const hash = templateHash(template, deployment.status?.collisionCount ?? 0);
  const { name = "", namespace } = deployment.metadata;
  const labels = { ...template.metadata?.labels, [hashLabel]: hash };
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: `${name.slice(0, longestName - 1 - hash.length)}-${hash}`,
      namespace,
      labels,
      annotations: {},
      ownerReferences: [controllerReference(kinds.deployment, deployment)],
    },
    spec: omitUndefined({
      replicas: 0,
      minReadySeconds,
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [hashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    }),
  };
}
