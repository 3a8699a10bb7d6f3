import type { Pod, PodSpec, PodStatus } from "kubernetes-types/core/v1.js";
import type { KubeObject } from "../../../../../language/object/meta.ts";
import { defineKind } from "../../define-kind.ts";
import { addDefaultTolerations, keepPriority, resolvePriority } from "./admission.ts";
import { podColumns } from "./columns.ts";
import { validateImageSpaces } from "./containers.ts";
import { defaultPod, defaultPodSpec } from "./defaults.ts";
import { qosClass } from "../../../../../language/cpu/qos-class.ts";
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
      const spec = specOf(object);
      // kube-apiserver turns a negative grace period into one second.
      if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
      object.status = { phase: "Pending", qosClass: qosClass(specOf(object)) };
    },
    admitCreate: (object, objects) => {
      resolvePriority(object, specOf(object), objects);
      addDefaultTolerations(specOf(object));
    },
    prepareForUpdate: (object, old) => {
      keepPriority(specOf(object), specOf(old));
      addDefaultTolerations(specOf(object));
    },
    validate: (object) => [...validatePodSpec(specOf(object), "spec"), ...validateImageSpaces(specOf(object), "spec")],
    validateUpdate: validatePodUpdate,
    hasGeneration: true,
    ignoredFields: ["status"],
    returnDeleted: true,
    // A pod on a node is deleted gracefully: its kubelet stops it and deletes it with a grace period of 0.
    gracePeriod: (object, asked) => {
      const { phase } = statusOf(object);
      if (!specOf(object).nodeName || phase === "Succeeded" || phase === "Failed") return 0;
      return asked ?? object.metadata.deletionGracePeriodSeconds ?? specOf(object).terminationGracePeriodSeconds ?? 30;
    },
  },
  subresources: {
    status: {
      type: "status",
      prepareForUpdate: (object, old) => {
        // A status without a QoS class keeps the stored one.
        const { qosClass: decided } = statusOf(old);
        if (decided !== undefined) object.status = { qosClass: decided, ...statusOf(object) };
        // A status update cannot change ownerReferences.
        const { ownerReferences, ...metadata } = { ...object.metadata, ownerReferences: old.metadata.ownerReferences };
        object.metadata = ownerReferences ? { ...metadata, ownerReferences } : metadata;
      },
      validateUpdate: validatePodStatus,
    },
  },
});

/** podIP equals the first of podIPs: each sets the other if only one is given. */
function alignAddresses(object: KubeObject): void {
  const { status } = object as Pod;
  if (!status) return;
  if (status.podIP && !status.podIPs) status.podIPs = [{ ip: status.podIP }];
  else if (!status.podIP && status.podIPs?.[0]?.ip) status.podIP = status.podIPs[0].ip;
}
