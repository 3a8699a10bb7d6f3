import type { PodTemplateSpec } from "kubernetes-types/core/v1.js";
import { omitUndefined } from "../../../../language/object/json.ts";
import type { KindRef } from "../../../../cluster/kube/client.ts";
import { hashOf, safeEncode } from "../../../../language/object/hash.ts";
import { asPrefix, dnsSubdomain } from "../../../../language/object/names.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import type { Pod } from "../workload-objects.ts";
import { controllerReference } from "./controller-of.ts";

/** A pod of the template, owned by `owner`. The API server names it, unless the caller does. */
export function podFromTemplate(ofKind: KindRef, owner: KubeObject, template: PodTemplateSpec): Pod {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: omitUndefined({
      generateName: podPrefix(owner.metadata.name ?? ""),
      namespace: owner.metadata.namespace,
      labels: { ...labels },
      annotations: { ...annotations },
      finalizers: finalizers && [...finalizers],
      ownerReferences: [controllerReference(ofKind, owner)],
    }),
    ...(template.spec && { spec: { ...template.spec } }),
  };
}

/** `name-`, or `name` where `name-` is no valid prefix of a pod name. */
function podPrefix(name: string): string {
  const prefix = `${name}-`;
  return dnsSubdomain(asPrefix(prefix)).length === 0 ? prefix : name;
}

/** The hash at the end of the names of ReplicaSets and revisions. `collisions` changes the hash of the same content. */
export function templateHash(content: unknown, collisions = 0): string {
  const hash = hashOf(collisions === 0 ? content : [content, collisions]);
  return safeEncode(String(Number.parseInt(hash.slice(0, 8), 16)));
}
