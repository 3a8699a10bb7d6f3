import { Discovery } from "../../../cluster/kube/discovery.ts";
import { errorText } from "../../../cluster/runtime/error-text.ts";
import { machineConfigPoolKind } from "../../../domain/machine-config/api.ts";
import { hostedClusterKind, nodePoolKind } from "../../../domain/node-pool/api.ts";
import { profileKind, tunedKind } from "../../../domain/node-tuning/api.ts";
import { performanceProfileKind } from "../../../domain/performance-profile/api.ts";
import { scyllaNodeConfigKind } from "../../../domain/scylla/api.ts";
import { infrastructureKind } from "../../../domain/workload-partitioning/identifier.ts";
import { parseApiVersion } from "../../../language/object/meta.ts";
import { everyMinute } from "./every-minute.ts";
import type { TopicContext } from "./topic-context.ts";

const asked = [
  tunedKind,
  profileKind,
  machineConfigPoolKind,
  performanceProfileKind,
  infrastructureKind,
  nodePoolKind,
  hostedClusterKind,
  scyllaNodeConfigKind,
];

/** Which kinds any of the clusters serves: views are made of them. */
export function openKinds(context: TopicContext<"kinds">): void {
  context.setSource("discovery", { state: "loading" });
  everyMinute(context, async () => {
    try {
      const found = await Promise.all(
        [...context.clusters.values()].flatMap(({ client }) => {
          const discovery = new Discovery(client);
          return asked.map(async ({ apiVersion, kind }) => ({
            name: `${kind}.${parseApiVersion(apiVersion).group}`,
            served: (await discovery.kind(apiVersion, kind, { signal: context.signal })) !== undefined,
          }));
        }),
      );
      for (const { name } of found) context.set(name, { served: found.some((one) => one.name === name && one.served) });
      context.setSource("discovery", { state: "ready" });
    } catch (error) {
      if (!context.signal.aborted) context.setSource("discovery", { state: "failed", message: errorText(error) });
    }
  });
}
