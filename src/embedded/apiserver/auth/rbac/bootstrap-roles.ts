import { ALL, CORE, EVENTS, on, paths, READ, READ_WRITE, RECORD, WRITE } from "./bootstrap-rule.ts";
import type { PolicyRule } from "./policy-rule.ts";

/** A bootstrap role: its rules, or the label of the roles it aggregates. */
export type RoleData = {
  /** The role that aggregates this one: `admin`, `edit`, `view`. */
  readonly aggregateTo?: string;
} & (
  | { readonly rules: readonly PolicyRule[]; readonly aggregate?: undefined }
  | { readonly aggregate: string; readonly rules?: undefined }
);

/** The ClusterRoles of kube-apiserver, without those of its controllers. */
export const bootstrapClusterRoles: Readonly<Record<string, RoleData>> = {
  admin: { aggregate: "admin" },
  "cluster-admin": { rules: [on(ALL, "*", "*"), paths(ALL, "*")] },
  edit: { aggregateTo: "admin", aggregate: "edit" },
  "system:aggregate-to-admin": {
    aggregateTo: "admin",
    rules: [
      on("create", "authorization.k8s.io", "localsubjectaccessreviews"),
      on(READ_WRITE, "rbac.authorization.k8s.io", "rolebindings roles"),
    ],
  },
  "system:aggregate-to-edit": {
    aggregateTo: "edit",
    rules: [
      on(READ, CORE, "pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy"),
      on("impersonate", CORE, "serviceaccounts"),
      on(WRITE, CORE, "pods pods/attach pods/exec pods/portforward pods/proxy"),
      on("create", CORE, "pods/eviction"),
      on(
        WRITE,
        CORE,
        "configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy",
      ),
      on("create", CORE, "serviceaccounts/token"),
      on(WRITE, EVENTS, "events"),
      on(
        WRITE,
        "apps",
        "daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale",
      ),
      on(WRITE, "autoscaling", "horizontalpodautoscalers"),
      on(WRITE, "batch", "cronjobs jobs"),
      on(
        WRITE,
        "extensions",
        "daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale",
      ),
      on(WRITE, "policy", "poddisruptionbudgets"),
      on(WRITE, "networking.k8s.io", "ingresses networkpolicies"),
      on(READ_WRITE, "coordination.k8s.io", "leases"),
      on(WRITE, "resource.k8s.io", "resourceclaims resourceclaimtemplates"),
    ],
  },
  "system:aggregate-to-view": {
    aggregateTo: "view",
    rules: [
      on(
        READ,
        CORE,
        "configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status",
      ),
      on(
        READ,
        CORE,
        "bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status",
      ),
      on(READ, CORE, "namespaces"),
      on(READ, EVENTS, "events"),
      on(READ, "discovery.k8s.io", "endpointslices"),
      on(
        READ,
        "apps",
        "controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status",
      ),
      on(READ, "autoscaling", "horizontalpodautoscalers horizontalpodautoscalers/status"),
      on(READ, "batch", "cronjobs cronjobs/status jobs jobs/status"),
      on(
        READ,
        "extensions",
        "daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale",
      ),
      on(READ, "policy", "poddisruptionbudgets poddisruptionbudgets/status"),
      on(READ, "networking.k8s.io", "ingresses ingresses/status networkpolicies"),
      on(READ, "resource.k8s.io", "resourceclaims resourceclaims/status resourceclaimtemplates"),
    ],
  },
  "system:auth-delegator": {
    rules: [
      on("create", "authentication.k8s.io", "tokenreviews"),
      on("create", "authorization.k8s.io", "subjectaccessreviews"),
    ],
  },
  "system:basic-user": {
    rules: [
      on("create", "authorization.k8s.io", "selfsubjectaccessreviews selfsubjectrulesreviews"),
      on("create", "authentication.k8s.io", "selfsubjectreviews"),
    ],
  },
  "system:certificates.k8s.io:certificatesigningrequests:nodeclient": {
    rules: [on("create", "certificates.k8s.io", "certificatesigningrequests/nodeclient")],
  },
  "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient": {
    rules: [on("create", "certificates.k8s.io", "certificatesigningrequests/selfnodeclient")],
  },
  "system:certificates.k8s.io:kube-apiserver-client-approver": {
    rules: [on("approve", "certificates.k8s.io", "signers", "kubernetes.io/kube-apiserver-client")],
  },
  "system:certificates.k8s.io:kube-apiserver-client-kubelet-approver": {
    rules: [on("approve", "certificates.k8s.io", "signers", "kubernetes.io/kube-apiserver-client-kubelet")],
  },
  "system:certificates.k8s.io:kubelet-serving-approver": {
    rules: [on("approve", "certificates.k8s.io", "signers", "kubernetes.io/kubelet-serving")],
  },
  "system:certificates.k8s.io:legacy-unknown-approver": {
    rules: [on("approve", "certificates.k8s.io", "signers", "kubernetes.io/legacy-unknown")],
  },
  "system:discovery": {
    rules: [paths("get", "/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/")],
  },
  "system:kube-aggregator": { rules: [on(READ, CORE, "endpoints services")] },
  "system:kube-controller-manager": {
    rules: [
      on(RECORD, EVENTS, "events"),
      on("create", "coordination.k8s.io", "leases"),
      on("get update", "coordination.k8s.io", "leases", "kube-controller-manager"),
      on("create", CORE, "secrets serviceaccounts"),
      on("delete", CORE, "secrets"),
      on("get", CORE, "configmaps namespaces secrets serviceaccounts"),
      on("update", CORE, "secrets serviceaccounts"),
      on("create", "authentication.k8s.io", "tokenreviews"),
      on("create", "authorization.k8s.io", "subjectaccessreviews"),
      on("list watch", "*", "*"),
      on("create", CORE, "serviceaccounts/token"),
    ],
  },
  "system:kube-dns": { rules: [on("list watch", CORE, "endpoints services")] },
  "system:kube-scheduler": {
    rules: [
      on(RECORD, EVENTS, "events"),
      on("create", "coordination.k8s.io", "leases"),
      on("get list update watch", "coordination.k8s.io", "leases", "kube-scheduler"),
      on(READ_WRITE, "coordination.k8s.io", "leasecandidates"),
      on(READ, CORE, "nodes"),
      on("delete get list watch", CORE, "pods"),
      on("create", CORE, "bindings pods/binding"),
      on("patch update", CORE, "pods/status"),
      on(READ, CORE, "replicationcontrollers services"),
      on(READ, ["apps", "extensions"], "replicasets"),
      on(READ, "apps", "statefulsets"),
      on(READ, "policy", "poddisruptionbudgets"),
      on(READ, CORE, "persistentvolumeclaims persistentvolumes"),
      on("create", "authentication.k8s.io", "tokenreviews"),
      on("create", "authorization.k8s.io", "subjectaccessreviews"),
      on(READ, "storage.k8s.io", "csinodes"),
      on(READ, "storage.k8s.io", "volumeattachments"),
      on(READ, CORE, "namespaces"),
      on(READ, "storage.k8s.io", "csidrivers"),
      on(READ, "storage.k8s.io", "csistoragecapacities"),
      on(READ, "resource.k8s.io", "deviceclasses"),
      on("get list patch update watch", "resource.k8s.io", "resourceclaims"),
      on("get list patch update watch", "resource.k8s.io", "resourceclaims/status"),
      on("update", CORE, "pods/finalizers"),
      on(READ, "resource.k8s.io", "resourceslices"),
    ],
  },
  "system:kubelet-api-admin": {
    rules: [
      on(READ, CORE, "nodes"),
      on("proxy", CORE, "nodes"),
      on(ALL, CORE, "nodes/log nodes/metrics nodes/proxy nodes/stats"),
      on(ALL, CORE, "nodes/configz nodes/healthz nodes/pods"),
    ],
  },
  "system:monitoring": {
    rules: [
      paths("get", "/healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/*"),
      on("get", CORE, "nodes/metrics"),
    ],
  },
  "system:node": {
    rules: [
      on("create", "authentication.k8s.io", "tokenreviews"),
      on("create", "authorization.k8s.io", "localsubjectaccessreviews subjectaccessreviews"),
      on(READ, CORE, "services"),
      on("create get list watch", CORE, "nodes"),
      on("patch update", CORE, "nodes/status"),
      on("patch update", CORE, "nodes"),
      on(RECORD, EVENTS, "events"),
      on(READ, CORE, "pods"),
      on("create delete", CORE, "pods"),
      on("patch update", CORE, "pods/status"),
      on("create", CORE, "pods/eviction"),
      on(READ, CORE, "configmaps secrets"),
      on("get", CORE, "persistentvolumeclaims persistentvolumes"),
      on("get", CORE, "endpoints"),
      on("create get list watch", "certificates.k8s.io", "certificatesigningrequests"),
      on("create delete get patch update", "coordination.k8s.io", "leases"),
      on("get", "storage.k8s.io", "volumeattachments"),
      on("create", CORE, "serviceaccounts/token"),
      on("get patch update", CORE, "persistentvolumeclaims/status"),
      on(READ, "storage.k8s.io", "csidrivers"),
      on("create delete get patch update", "storage.k8s.io", "csinodes"),
      on(READ, "node.k8s.io", "runtimeclasses"),
      on("get", "resource.k8s.io", "resourceclaims"),
      on("deletecollection", "resource.k8s.io", "resourceslices"),
      on("get", CORE, "serviceaccounts"),
    ],
  },
  "system:node-bootstrapper": {
    rules: [on("create get list watch", "certificates.k8s.io", "certificatesigningrequests")],
  },
  "system:node-problem-detector": {
    rules: [on("get", CORE, "nodes"), on("patch", CORE, "nodes/status"), on(RECORD, EVENTS, "events")],
  },
  "system:node-proxier": {
    rules: [
      on("list watch", CORE, "endpoints services"),
      on(READ, CORE, "nodes"),
      on(RECORD, EVENTS, "events"),
      on("list watch", "networking.k8s.io", "servicecidrs"),
      on("list watch", "discovery.k8s.io", "endpointslices"),
    ],
  },
  "system:persistent-volume-provisioner": {
    rules: [
      on("create delete get list watch", CORE, "persistentvolumes"),
      on("get list update watch", CORE, "persistentvolumeclaims"),
      on(READ, "storage.k8s.io", "storageclasses"),
      on("watch", CORE, "events"),
      on(RECORD, EVENTS, "events"),
    ],
  },
  "system:public-info-viewer": { rules: [paths("get", "/healthz /livez /readyz /version /version/")] },
  "system:service-account-issuer-discovery": {
    rules: [
      paths(
        "get",
        "/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/",
      ),
    ],
  },
  "system:volume-scheduler": {
    rules: [
      on("get list patch update watch", CORE, "persistentvolumes"),
      on(READ, "storage.k8s.io", "storageclasses"),
      on("get list patch update watch", CORE, "persistentvolumeclaims"),
    ],
  },
  view: { aggregateTo: "edit", aggregate: "view" },
};

/** Roles in kube-system. */
export const bootstrapRoles: Readonly<Record<string, RoleData>> = {
  "extension-apiserver-authentication-reader": {
    rules: [on(READ, CORE, "configmaps", "extension-apiserver-authentication")],
  },
  "system::leader-locking-kube-controller-manager": {
    rules: [
      on("create get list update watch", "coordination.k8s.io", "leases"),
      on("create get list update watch", "coordination.k8s.io", "leasecandidates"),
    ],
  },
  "system::leader-locking-kube-scheduler": {
    rules: [
      on("create get list update watch", "coordination.k8s.io", "leases"),
      on("create get list update watch", "coordination.k8s.io", "leasecandidates"),
    ],
  },
};
