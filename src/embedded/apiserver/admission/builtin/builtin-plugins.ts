import type { Authorizer } from "../../auth/user.ts";
import type { Lookup } from "../../resource.ts";
import type { AdmissionPlugin } from "../admission.ts";
import { claimResize } from "./claim-resize.ts";
import { defaultStorageClass } from "./default-storage-class.ts";
import { nodeRestriction } from "./node-restriction.ts";
import { podTopologyLabels } from "./pod-topology-labels.ts";
import { podSecurity } from "../pod-security/pod-security.ts";
import { runtimeClass } from "./runtime-class.ts";
import { serviceAccount } from "./service-account.ts";

/** The plug-ins that run before webhooks, in kube-apiserver's order. */
export function builtinPlugins(objects: Lookup, authorizer: Authorizer): AdmissionPlugin[] {
  return [
    serviceAccount(objects),
    nodeRestriction(objects, authorizer),
    kindAdmission(objects),
    defaultStorageClass(objects),
    claimResize(objects),
    runtimeClass(objects),
    podTopologyLabels(objects),
    podSecurity(objects),
  ];
}

/** Admission of the kinds themselves: the priority of a pod, the taint of a node. */
function kindAdmission(objects: Lookup): AdmissionPlugin {
  return {
    name: "Kind",
    handles: ({ operation, subresource, resource }) =>
      operation === "CREATE" && subresource === "" && resource.strategy.admitCreate !== undefined,
    admit: ({ resource, object }) => {
      if (object) resource.strategy.admitCreate?.(object, objects);
    },
  };
}
