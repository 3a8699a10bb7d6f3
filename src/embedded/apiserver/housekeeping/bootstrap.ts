import type { KubeObject } from "../../../language/object/meta.ts";
import { formatTime } from "../../../language/object/time.ts";
import { bootstrapObjects } from "../auth/rbac/bootstrap-policy.ts";
import { systemPriorities } from "../kinds/system-priorities.ts";
import type { Services } from "../request/context.ts";
import { ensure } from "./server-writes.ts";

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
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace: "kube-system", name: "kube-apiserver-legacy-service-account-token-tracking" },
      // Who looks for tokens in secrets that nobody uses asks since when somebody looks. Here none was ever of use.
      data: { since: formatTime(services.clock.now()).slice(0, "2026-01-01".length) },
    },
  ];
  for (const batch of [objects.filter(isNamespace), objects.filter((object) => !isNamespace(object))])
    await Promise.all(batch.map((object) => ensure(services, object)));
}

function isNamespace({ kind }: KubeObject): boolean {
  return kind === "Namespace";
}
