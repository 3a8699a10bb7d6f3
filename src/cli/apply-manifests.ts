import type { Client } from "../kube/client.ts";
import { kinds, untyped } from "../kube/kinds.ts";
import type { KubeObject } from "../object/meta.ts";
import type { KindRef } from "../kube/client.ts";

const refs: Record<string, KindRef> = {
  CustomResourceDefinition: untyped(
    "apiextensions.k8s.io/v1",
    "CustomResourceDefinition",
    "customresourcedefinitions",
    false,
  ),
  Namespace: kinds.namespace,
  ServiceAccount: kinds.serviceAccount,
  Role: untyped("rbac.authorization.k8s.io/v1", "Role", "roles", true),
  RoleBinding: untyped("rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings", true),
  ClusterRole: untyped("rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles", false),
  ClusterRoleBinding: untyped("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "clusterrolebindings", false),
};

/** Server-side apply, as `kubectl apply --server-side` would: running it again changes nothing. */
export async function applyManifests(
  client: Client,
  manifests: readonly KubeObject[],
  signal?: AbortSignal,
): Promise<void> {
  for (const object of manifests) {
    const ref = refs[object.kind];
    if (!ref) throw new Error(`apply ${object.kind} ${object.metadata.name}: not a kind that is installed`);
    const { name = "", namespace } = object.metadata;
    await client.patch(
      ref,
      name,
      { type: "apply", object, force: true },
      { namespace, fieldManager: "attune", signal },
    );
  }
}
