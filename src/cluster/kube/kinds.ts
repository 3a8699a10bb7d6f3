import type {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "kubernetes-types/admissionregistration/v1.js";
import type { CustomResourceDefinition } from "kubernetes-types/apiextensions/v1.js";
import type { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from "kubernetes-types/apps/v1.js";
import type { TokenRequest } from "kubernetes-types/authentication/v1.js";
import type { SelfSubjectAccessReview } from "kubernetes-types/authorization/v1.js";
import type { CronJob, Job } from "kubernetes-types/batch/v1.js";
import type { Lease } from "kubernetes-types/coordination/v1.js";
import type {
  ConfigMap,
  Event,
  Namespace,
  Node,
  PersistentVolumeClaim,
  Pod,
  ReplicationController,
  Secret,
  Service,
  ServiceAccount,
} from "kubernetes-types/core/v1.js";
import type { EndpointSlice } from "kubernetes-types/discovery/v1.js";
import type { RuntimeClass } from "kubernetes-types/node/v1.js";
import type { PodDisruptionBudget } from "kubernetes-types/policy/v1.js";
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "kubernetes-types/rbac/v1.js";
import type { KubeObject } from "../../language/object/meta.ts";
import type { KindRef } from "./client.ts";

/** A kind's fields from kubernetes-types with our metadata type, and writable: kubernetes-types makes status read-only. */
export type Typed<T> = KubeObject & { -readonly [K in keyof Omit<T, "apiVersion" | "kind" | "metadata">]: T[K] };

function kind<T extends KubeObject>(apiVersion: string, kind: string, plural: string, namespaced: boolean): KindRef<T> {
  return { apiVersion, kind, plural, namespaced };
}

/** A kind without a type of its own. */
export function untyped(apiVersion: string, name: string, plural: string, namespaced: boolean): KindRef {
  return kind(apiVersion, name, plural, namespaced);
}

/** The built-in kinds that Attune uses. References to custom kinds are defined beside their types. */
export const kinds = {
  namespace: kind<Typed<Namespace>>("v1", "Namespace", "namespaces", false),
  node: kind<Typed<Node>>("v1", "Node", "nodes", false),
  pod: kind<Typed<Pod>>("v1", "Pod", "pods", true),
  configMap: kind<Typed<ConfigMap>>("v1", "ConfigMap", "configmaps", true),
  secret: kind<Typed<Secret>>("v1", "Secret", "secrets", true),
  service: kind<Typed<Service>>("v1", "Service", "services", true),
  serviceAccount: kind<Typed<ServiceAccount>>("v1", "ServiceAccount", "serviceaccounts", true),
  tokenRequest: kind<Typed<TokenRequest>>("v1", "TokenRequest", "serviceaccounts", true),
  endpointSlice: kind<Typed<EndpointSlice>>("discovery.k8s.io/v1", "EndpointSlice", "endpointslices", true),
  /** core/v1, not events.k8s.io: its `count` says how often an event happened. */
  event: kind<Typed<Event>>("v1", "Event", "events", true),
  lease: kind<Typed<Lease>>("coordination.k8s.io/v1", "Lease", "leases", true),
  daemonSet: kind<Typed<DaemonSet>>("apps/v1", "DaemonSet", "daemonsets", true),
  deployment: kind<Typed<Deployment>>("apps/v1", "Deployment", "deployments", true),
  replicaSet: kind<Typed<ReplicaSet>>("apps/v1", "ReplicaSet", "replicasets", true),
  replicationController: kind<Typed<ReplicationController>>(
    "v1",
    "ReplicationController",
    "replicationcontrollers",
    true,
  ),
  statefulSet: kind<Typed<StatefulSet>>("apps/v1", "StatefulSet", "statefulsets", true),
  controllerRevision: kind<Typed<ControllerRevision>>("apps/v1", "ControllerRevision", "controllerrevisions", true),
  cronJob: kind<Typed<CronJob>>("batch/v1", "CronJob", "cronjobs", true),
  job: kind<Typed<Job>>("batch/v1", "Job", "jobs", true),
  persistentVolumeClaim: kind<Typed<PersistentVolumeClaim>>(
    "v1",
    "PersistentVolumeClaim",
    "persistentvolumeclaims",
    true,
  ),
  podDisruptionBudget: kind<Typed<PodDisruptionBudget>>(
    "policy/v1",
    "PodDisruptionBudget",
    "poddisruptionbudgets",
    true,
  ),
  runtimeClass: kind<Typed<RuntimeClass>>("node.k8s.io/v1", "RuntimeClass", "runtimeclasses", false),
  role: kind<Typed<Role>>("rbac.authorization.k8s.io/v1", "Role", "roles", true),
  roleBinding: kind<Typed<RoleBinding>>("rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings", true),
  clusterRole: kind<Typed<ClusterRole>>("rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles", false),
  clusterRoleBinding: kind<Typed<ClusterRoleBinding>>(
    "rbac.authorization.k8s.io/v1",
    "ClusterRoleBinding",
    "clusterrolebindings",
    false,
  ),
  customResourceDefinition: kind<Typed<CustomResourceDefinition>>(
    "apiextensions.k8s.io/v1",
    "CustomResourceDefinition",
    "customresourcedefinitions",
    false,
  ),
  mutatingWebhookConfiguration: kind<Typed<MutatingWebhookConfiguration>>(
    "admissionregistration.k8s.io/v1",
    "MutatingWebhookConfiguration",
    "mutatingwebhookconfigurations",
    false,
  ),
  validatingWebhookConfiguration: kind<Typed<ValidatingWebhookConfiguration>>(
    "admissionregistration.k8s.io/v1",
    "ValidatingWebhookConfiguration",
    "validatingwebhookconfigurations",
    false,
  ),
  selfSubjectAccessReview: kind<Typed<SelfSubjectAccessReview>>(
    "authorization.k8s.io/v1",
    "SelfSubjectAccessReview",
    "selfsubjectaccessreviews",
    false,
  ),
} as const;
