import { injectGate } from "../../../domain/scylla/gate/inject-gate.ts";
import { tuningNamespace } from "../../../domain/scylla/names.ts";
import { scyllaPodLabels } from "../../../domain/scylla/scylla-pod.ts";
import type { AdmissionHandler, AdmissionRequest, Decision } from "../handler.ts";
import { refusal } from "../partitioning/refusal.ts";

export interface ScyllaHandlerOptions {
  /** Where the webhook runs. */
  readonly namespace: string;
  /** Of the sidecar. */
  readonly image: string;
}

/** Puts the gate in front of the databases of new pods. */
export function scyllaHandler({ namespace, image }: ScyllaHandlerOptions): AdmissionHandler {
  const without = ["kube-system", "kube-public", "kube-node-lease", namespace, tuningNamespace];
  return {
    name: "pods-scylla",
    type: "mutating",
    rules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["pods"], operations: ["CREATE"], scope: "Namespaced" }],
    entries: [{ failurePolicy: "Fail" }],
    timeoutSeconds: 3,
    objectSelector: { matchLabels: scyllaPodLabels },
    namespaceSelector: {
      matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "NotIn", values: [...new Set(without)] }],
    },
    review: (request) => decide(request, image),
  };
}

function decide(request: AdmissionRequest, image: string): Decision {
  const { object } = request;
  if (!object) return { type: "allow" };
  const injection = injectGate(object, image);
  switch (injection.type) {
    case "unchanged":
      return { type: "allow", verdict: { rule: "scylla-gate", outcome: injection.reason } };
    case "changed":
      return { type: "allow", object: injection.pod, verdict: { rule: "scylla-gate", outcome: "added" } };
    case "refused": {
      const { field, message } = injection;
      const verdict = { rule: "scylla-gate", outcome: "refused" };
      return { ...refusal([{ status: 422, field, message }], request), verdict };
    }
  }
}
