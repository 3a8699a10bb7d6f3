import type { PodTemplateSpec } from "kubernetes-types/core/v1.js";
import { omitUndefined } from "../../../../language/object/json.ts";
import type { KindRef } from "../../../../cluster/kube/client.ts";
import { asPrefix, dnsSubdomain } from "../../../../language/object/names.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import type { Pod } from "../workload-objects.ts";
import { controllerReference } from "./controller-of.ts";

/**
 * A pod as its template says, owned by `owner`. It is named by the server unless the caller names it. Nothing in it is
 * shared with the template but what nobody changes.
 */
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

/** `name-`, or `name` where a pod's name could not begin like that. */
function podPrefix(name: string): string {
  const prefix = `${name}-`;
  return dnsSubdomain(asPrefix(prefix)).length === 0 ? prefix : name;
}
