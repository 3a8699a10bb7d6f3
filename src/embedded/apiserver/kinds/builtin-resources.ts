import type { Resource } from "../resource.ts";
import { validatingAdmissionPolicyBinding } from "./admission/policy-binding.ts";
import { validatingAdmissionPolicy } from "./admission/policy.ts";
import { mutatingWebhookConfiguration, validatingWebhookConfiguration } from "./admission/webhook-configurations.ts";
import { apiService } from "./api-service.ts";
import { firstAutoscaler } from "./autoscaler/first-autoscaler.ts";
import { horizontalPodAutoscaler } from "./autoscaler/horizontal-pod-autoscaler.ts";
import { configMap } from "./config-map.ts";
import { controllerRevision } from "./controller-revision.ts";
import { cronJob } from "./cron-job.ts";
import { csiDriver } from "./csi-driver.ts";
import { csiNode } from "./csi-node.ts";
import { daemonSet } from "./daemon-set.ts";
import { deployment } from "./deployment.ts";
import { endpointSlice } from "./endpoint-slice.ts";
import { endpoints } from "./endpoints.ts";
import { event } from "./event/event.ts";
import { groupedEvent } from "./event/grouped-event.ts";
import { job } from "./job.ts";
import { lease } from "./lease.ts";
import { namespace } from "./namespace.ts";
import { networkPolicy } from "./network-policy.ts";
import { node } from "./node.ts";
import { persistentVolume } from "./persistent-volume.ts";
import { persistentVolumeClaim } from "./persistent-volume-claim.ts";
import { podDisruptionBudget } from "./pod-disruption-budget.ts";
import { pod } from "./pod/pod.ts";
import { priorityClass } from "./priority-class.ts";
import { clusterRole, clusterRoleBinding, role, roleBinding } from "./rbac.ts";
import { replicaSet } from "./replica-set.ts";
import { replicationController } from "./replication-controller.ts";
import { runtimeClass } from "./runtime-class.ts";
import { secret } from "./secret.ts";
import { serviceAccount } from "./service-account.ts";
import { service } from "./service/service.ts";
import { statefulSet } from "./stateful-set.ts";
import { storageClass } from "./storage-class.ts";
import { volumeAttachment } from "./volume-attachment.ts";
import { volumeAttributesClass } from "./volume-attributes-class.ts";

/** Every stored built-in kind that is served. Kinds that are only computed belong to who computes them. */
export function builtinResources(): Resource[] {
  return [
    apiService,
    configMap,
    endpoints,
    event,
    namespace,
    node,
    persistentVolume,
    persistentVolumeClaim,
    pod,
    replicationController,
    secret,
    service,
    serviceAccount,
    controllerRevision,
    daemonSet,
    deployment,
    replicaSet,
    statefulSet,
    horizontalPodAutoscaler,
    firstAutoscaler,
    cronJob,
    job,
    lease,
    groupedEvent,
    endpointSlice,
    networkPolicy,
    runtimeClass,
    podDisruptionBudget,
    role,
    roleBinding,
    clusterRole,
    clusterRoleBinding,
    priorityClass,
    csiDriver,
    csiNode,
    storageClass,
    volumeAttachment,
    volumeAttributesClass,
    mutatingWebhookConfiguration,
    validatingWebhookConfiguration,
    validatingAdmissionPolicy,
    validatingAdmissionPolicyBinding,
  ];
}
