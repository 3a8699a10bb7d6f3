import type { Pod, PodSpec, PodStatus } from "kubernetes-types/core/v1.js";
import type { KubeObject } from "../../../object/meta.ts";
import { defineKind } from "../define-kind.ts";
import { addDefaultTolerations, resolvePriority } from "./admission.ts";
import { podColumns } from "./columns.ts";
import { validateImageSpaces } from "./containers.ts";
import { defaultPod, defaultPodSpec } from "./defaults.ts";
import { qosClass } from "./qos.ts";
import { validatePodStatus, validatePodUpdate } from "./update.ts";
import { validatePodSpec } from "./validate-spec.ts";

const specOf = (object: KubeObject): PodSpec => object.spec as PodSpec;
const statusOf = (object: KubeObject): PodStatus => (object as Pod).status ?? {};

export const pod = defineKind({
  group: "",
  version: "v1",
  kind: "Pod",
  plural: "pods",
  shortNames: ["po"],
  categories: ["all"],
  namespaced: true,
  selectableFields: {
    "spec.nodeName": (object) => specOf(object).nodeName ?? "",
    "spec.restartPolicy": (object) => specOf(object).restartPolicy ?? "",
    "spec.schedulerName": (object) => specOf(object).schedulerName ?? "",
    "spec.serviceAccountName": (object) => specOf(object).serviceAccountName ?? "",
    "spec.hostNetwork": (object) => String(specOf(object).hostNetwork ?? false),
    "status.phase": (object) => statusOf(object).phase ?? "",
    "status.podIP": (object) => statusOf(object).podIPs?.[0]?.ip ?? statusOf(object).podIP ?? "",
    "status.podIPs": (object) => statusOf(object).podIPs?.[0]?.ip ?? statusOf(object).podIP ?? "",
    "status.nominatedNodeName": (object) => statusOf(object).nominatedNodeName ?? "",
  },
  columns: podColumns,
  strategy: {
    defaults: (object) => {
      defaultPodSpec(specOf(object));
      defaultPod(specOf(object));
      alignAddresses(object);
    },
    prepareForCreate: (object) => {
      object.status = { phase: "Pending", qosClass: qosClass(specOf(object)) };
    },
    admitCreate: (object) => {
      resolvePriority(object, specOf(object));
      addDefaultTolerations(specOf(object));
    },
    prepareForUpdate: (object) => addDefaultTolerations(specOf(object)),
    validate: (object) => [...validatePodSpec(specOf(object), "spec"), ...validateImageSpaces(specOf(object), "spec")],
    validateUpdate: validatePodUpdate,
    hasGeneration: true,
    ignoredFields: ["status"],
    returnDeleted: true,
  },
  subresources: {
    status: {
      type: "status",
      prepareForUpdate: (object, old) => {
        // The class of service is decided once, when the pod is made.
        const { qosClass: decided } = statusOf(old);
        if (decided !== undefined) object.status = { ...statusOf(object), qosClass: decided };
        if (!object.metadata.deletionTimestamp) object.metadata.ownerReferences ??= old.metadata.ownerReferences;
      },
      validateUpdate: (object) => validatePodStatus(object),
    },
  },
});

/** The first of podIPs is podIP under another name; whichever is given sets the other. */
function alignAddresses(object: KubeObject): void {
  const { status } = object as Pod;
  if (!status) return;
  if (status.podIP && !status.podIPs) status.podIPs = [{ ip: status.podIP }];
  else if (!status.podIP && status.podIPs?.[0]?.ip) status.podIP = status.podIPs[0].ip;
}
