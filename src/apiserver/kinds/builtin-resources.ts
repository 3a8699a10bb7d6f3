import type { Resource } from "../resource.ts";
import { configMap } from "./config-map.ts";
import { controllerRevision } from "./controller-revision.ts";
import { daemonSet } from "./daemon-set.ts";
import { deployment } from "./deployment.ts";
import { event } from "./event.ts";
import { job } from "./job.ts";
import { lease } from "./lease.ts";
import { namespace } from "./namespace.ts";
import { node } from "./node.ts";
import { pod } from "./pod/pod.ts";
import { clusterRole, clusterRoleBinding, role, roleBinding } from "./rbac.ts";
import { replicaSet } from "./replica-set.ts";
import { runtimeClass } from "./runtime-class.ts";
import { secret } from "./secret.ts";
import { serviceAccount } from "./service-account.ts";
import { statefulSet } from "./stateful-set.ts";

/** Every stored built-in kind that is served. Kinds that are only computed belong to who computes them. */
export function builtinResources(): Resource[] {
  return [
    configMap,
    event,
    namespace,
    node,
    pod,
    secret,
    serviceAccount,
    controllerRevision,
    daemonSet,
    deployment,
    replicaSet,
    statefulSet,
    job,
    lease,
    runtimeClass,
    role,
    roleBinding,
    clusterRole,
    clusterRoleBinding,
  ];
}
