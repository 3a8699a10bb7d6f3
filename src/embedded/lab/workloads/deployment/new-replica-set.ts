import type { PodTemplateSpec } from "kubernetes-types/core/v1.js";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import { equal, omitUndefined } from "../../../../language/object/json.ts";
import { controllerReference } from "../pods/controller-of.ts";
import { templateHash } from "../pods/pod-from-template.ts";
import type { Deployment, ReplicaSet } from "../workload-objects.ts";

const hashLabel = "pod-template-hash";
const longestName = 253;

/** Compares templates without the hash label that the Deployment adds. */
export function sameTemplate(a: PodTemplateSpec | undefined, b: PodTemplateSpec | undefined): boolean {
  return equal(bare(a), bare(b));
}

function bare(template: PodTemplateSpec | undefined): unknown {
  const { labels, annotations, finalizers } = template?.metadata ?? {};
  const { [hashLabel]: _, ...rest } = labels ?? {};
  return { labels: rest, annotations: annotations ?? {}, finalizers: finalizers ?? [], spec: template?.spec };
}

/** The oldest ReplicaSet with the current template. */
export function findNewReplicaSet(deployment: Deployment, oldestFirst: readonly ReplicaSet[]): ReplicaSet | undefined {
  return oldestFirst.find(({ spec }) => sameTemplate(spec?.template, deployment.spec?.template));
}

/** A ReplicaSet of the current template, with 0 replicas. Its name follows from the template, so it is created once. */
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
