import { parseApiVersion, type KubeObject } from "../../object/meta.ts";
import { bootstrapObjects } from "../auth/bootstrap-policy.ts";
import { SUPERUSERS } from "../auth/rbac.ts";
import { systemPriorities } from "../kinds/system-priorities.ts";
import { collectionOf } from "../registry.ts";
import type { RequestContext, Services } from "../request/context.ts";
import { insert } from "../request/create.ts";
import { writeOptions } from "../request/options.ts";

const namespaces = ["default", "kube-node-lease", "kube-public", "kube-system"];

/** What every cluster has from its first moment: its namespaces, the usual roles and bindings, and the priorities of its own pods. */
export async function bootstrap(services: Services): Promise<void> {
  const objects: KubeObject[] = [
    ...namespaces.map((name) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } })),
    ...bootstrapObjects(),
    ...Object.entries(systemPriorities).map(([name, value]) => ({
      apiVersion: "scheduling.k8s.io/v1",
      kind: "PriorityClass",
      metadata: { name },
      value,
    })),
  ];
  for (const batch of [objects.filter(isNamespace), objects.filter((object) => !isNamespace(object))])
    await Promise.all(batch.map((object) => ensure(services, object)));
}

function isNamespace({ kind }: KubeObject): boolean {
  return kind === "Namespace";
}

async function ensure(services: Services, object: KubeObject): Promise<void> {
  const { group, version } = parseApiVersion(object.apiVersion);
  const resource = services.registry
    .all()
    .find((r) => r.group === group && r.version === version && r.kind === object.kind);
  if (!resource) throw new Error(`bootstrap ${object.kind} ${object.metadata.name}: the kind is not served`);
  const namespace = object.metadata.namespace ?? "";
  const key = resource.namespaced ? `${namespace}/${object.metadata.name}` : (object.metadata.name ?? "");
  if (services.store.head(collectionOf(resource), key)) return;
  const context: RequestContext = {
    services,
    resource,
    user: { name: "system:apiserver", groups: [SUPERUSERS] },
    namespace,
    name: "",
    subresource: "",
    query: new URLSearchParams(),
    userAgent: "",
    warnings: [],
  };
  const options = writeOptions(new URLSearchParams({ fieldManager: "attune-apiserver" }), "CreateOptions", "");
  await insert(context, structuredClone(object), options, "update");
}
