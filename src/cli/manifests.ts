import { agentRbac } from "../agent/rbac.ts";
import { nodeTuningCrds } from "../node-tuning/crds.ts";
import { tuningNamespace } from "../node-tuning/api.ts";
import type { KubeObject } from "../object/meta.ts";
import { operatorRbac, systemNamespace } from "../operator/rbac.ts";

/** Everything a cluster needs before Attune's parts can run on it, in the order in which it must be applied. */
export function installManifests(): KubeObject[] {
  const namespaces = [systemNamespace, tuningNamespace].map((name) => ({
    apiVersion: "v1",
    kind: "Namespace",
    // A bare namespace would own nothing, and the next apply would take it for one that others made.
    metadata: { name, labels: { "app.kubernetes.io/part-of": "attune" } },
  }));
  return [...namespaces, ...nodeTuningCrds, ...operatorRbac(), ...agentRbac(tuningNamespace)];
}
