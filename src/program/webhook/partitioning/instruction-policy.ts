import type { KubeObject } from "../../../language/object/meta.ts";
import { admissionPolicy } from "../../../language/object/account-policy.ts";
import { changesInstructions, hasInstructions } from "./pod-conditions.ts";

const decided = "annotations that choose CPUs are decided when a pod is created";
const isBinding = "request.operation == 'CREATE'";
/** Some schedulers send all annotations of the pod with its binding. A policy cannot read the pod, to compare. */
const bindsPodsEverywhere = "authorizer.group('').resource('pods').subresource('binding').check('create').allowed()";

/**
 * The other ways to annotate a pod: the API server copies the annotations of a binding to it, and takes those of a status
 * update. A policy and no webhook: scheduling and kubelets wait for neither.
 */
export const instructionPolicy: readonly KubeObject[] = admissionPolicy("attune-pod-instructions", {
  rule: { apiGroups: [""], apiVersions: ["v1"], resources: ["bindings", "pods/binding", "pods/status"] },
  // Kubelets change no annotations: comparing two maps costs less than a look at each key.
  matchConditions: [
    {
      name: "annotates",
      expression: `${isBinding} || object.metadata.?annotations != oldObject.metadata.?annotations`,
    },
  ],
  validations: [
    {
      expression: `!(${isBinding}) || !(${hasInstructions}) || ${bindsPodsEverywhere}`,
      message: `${decided}: only who may bind pods of all namespaces may send them with a binding`,
      reason: "Forbidden",
    },
    {
      expression: `${isBinding} || !(${changesInstructions.expression})`,
      message: `${decided}: an update of its status may not change them`,
      reason: "Forbidden",
    },
  ],
});
