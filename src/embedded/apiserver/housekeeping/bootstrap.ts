import type { KubeObject } from "../../../language/object/meta.ts";
import { formatTime } from "../../../language/object/time.ts";
import { bootstrapObjects } from "../auth/rbac/bootstrap-policy.ts";
import { systemPriorities } from "../kinds/priority-class.ts";
import type { Services } from "../request/context.ts";
import { ensure } from "./server-writes.ts";

const namespaces = ["default", "kube-node-lease", "kube-public", "kube-system"];

/** Creates what every cluster starts with: system namespaces, roles, bindings and priority classes. */
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
      // kube-controller-manager's legacy-service-account-token-cleaner reads here since when use of token secrets is tracked.
      data: { since: formatTime(services.clock.now()).slice(0, "2026-01-01".length) },
    },
  ];
  for (const batch of [objects.filter(isNamespace), objects.filter((object) => !isNamespace(object))])
    await Promise.all(batch.map((object) => ensure(services, object)));
}

function isNamespace({ kind }: KubeObject): boolean {
  return kind === "Namespace";
}
