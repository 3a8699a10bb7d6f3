import type { Resource } from "../resource.ts";
import { validatingAdmissionPolicyBinding } from "./admission/policy-binding.ts";
import { validatingAdmissionPolicy } from "./admission/policy.ts";
import { mutatingWebhookConfiguration, validatingWebhookConfiguration } from "./admission/webhook-configurations.ts";
import { apiService } from "./api-service.ts";
import { horizontalPodAutoscalerV1 } from "./autoscaling/horizontal-pod-autoscaler-v1.ts";
import { horizontalPodAutoscaler } from "./autoscaling/horizontal-pod-autoscaler.ts";
import { certificateSigningRequest } from "./certificate-signing-request.ts";
import { configMap } from "./core/config-map.ts";
import { controllerRevision } from "./apps/controller-revision.ts";
import { cronJob } from "./batch/cron-job.ts";
import { csiDriver } from "./storage/csi-driver.ts";
import { csiNode } from "./storage/csi-node.ts";
import { daemonSet } from "./apps/daemon-set.ts";
import { deployment } from "./apps/deployment.ts";
import { endpointSlice } from "./network/endpoint-slice.ts";
import { endpoints } from "./network/endpoints.ts";
import { event } from "./core/event/event.ts";
import { eventsGroupEvent } from "./core/event/events-group-event.ts";
import { ingressClass } from "./network/ingress-class.ts";
import { ingress } from "./network/ingress.ts";
import { job } from "./batch/job.ts";
import { lease } from "./lease.ts";
import { namespace } from "./core/namespace.ts";
import { networkPolicy } from "./network/network-policy.ts";
import { node } from "./core/node.ts";
import { persistentVolume } from "./storage/persistent-volume.ts";
import { persistentVolumeClaim } from "./storage/persistent-volume-claim.ts";
import { podDisruptionBudget } from "./pod-disruption-budget.ts";
import { podTemplate } from "./core/pod-template-kind.ts";
import { pod } from "./core/pod/pod.ts";
import { priorityClass } from "./priority-class.ts";
import { clusterRole, clusterRoleBinding, role, roleBinding } from "./rbac.ts";
import { replicaSet } from "./apps/replica-set.ts";
import { replicationController } from "./core/replication-controller.ts";
import { resourceQuota } from "./core/resource-quota.ts";
import { runtimeClass } from "./runtime-class.ts";
import { secret } from "./core/secret.ts";
import { serviceAccount } from "./core/service-account.ts";
import { service } from "./network/service/service.ts";
import { statefulSet } from "./apps/stateful-set.ts";
import { storageClass } from "./storage/storage-class.ts";
import { volumeAttachment } from "./storage/volume-attachment.ts";
import { volumeAttributesClass } from "./storage/volume-attributes-class.ts";

/** Every built-in kind that is stored. Computed kinds (reviews, Eviction, Scale) are defined where they are served. */
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
    podTemplate,
    replicationController,
    resourceQuota,
    secret,
    service,
    serviceAccount,
    controllerRevision,
    daemonSet,
    deployment,
    replicaSet,
    statefulSet,
    horizontalPodAutoscaler,
    horizontalPodAutoscalerV1,
    cronJob,
    job,
    certificateSigningRequest,
    lease,
    eventsGroupEvent,
    endpointSlice,
    ingress,
    ingressClass,
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
