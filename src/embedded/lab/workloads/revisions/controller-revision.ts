import type { PodTemplateSpec } from "kubernetes-types/core/v1.js";
import type { KindRef } from "../../../../cluster/kube/client.ts";
import { equal } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { controllerReference } from "../pods/controller-of.ts";
import { templateHash } from "../pods/pod-from-template.ts";
import type { ControllerRevision } from "../workload-objects.ts";

const longestPrefix = 223;

/** A kind whose templates are kept as revisions, and the label of a revision with the hash. */
export interface Revised {
  readonly kind: KindRef;
  readonly hashLabel: string;
}

/** An owner with one pod template. */
export type TemplateOwner = KubeObject & {
  spec?: { template?: PodTemplateSpec };
  status?: { collisionCount?: number };
};

/** The owner's current template as a patch, which `kubectl rollout undo` applies. */
export function newRevision(
  { kind, hashLabel }: Revised,
  owner: TemplateOwner,
  number: number,
  collisions: number,
): ControllerRevision {
  const { template } = owner.spec ?? {};
  const data = { spec: { template: { ...template, $patch: "replace" } } };
  const hash = templateHash(data, collisions);
  const { name = "", namespace, annotations } = owner.metadata;
  return {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: {
      name: `${name.slice(0, longestPrefix)}-${hash}`,
      namespace,
      labels: { ...template?.metadata?.labels, [hashLabel]: hash },
      annotations: { ...annotations },
      ownerReferences: [controllerReference(kind, owner)],
    },
    data,
    revision: number,
  };
}

export function sameData(a: ControllerRevision, b: ControllerRevision): boolean {
  return equal(a.data, b.data);
}

/** The template in a revision. */
export function templateIn({ data }: ControllerRevision): PodTemplateSpec | undefined {
  const { spec } = (data ?? {}) as { spec?: { template?: PodTemplateSpec & { $patch?: string } } };
  if (!spec?.template) return undefined;
  const { $patch: _, ...template } = spec.template;
  return template;
}

/** Oldest first. */
export function byRevision(a: ControllerRevision, b: ControllerRevision): number {
  if (a.revision !== b.revision) return a.revision - b.revision;
  const left = `${a.metadata.creationTimestamp}/${a.metadata.name}`;
  const right = `${b.metadata.creationTimestamp}/${b.metadata.name}`;
  return left < right ? -1 : left > right ? 1 : 0;
}
