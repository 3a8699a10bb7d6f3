import type { Manifest } from "../../manifest/read-manifests.ts";
import { isForNodePools } from "../../plan/dry-run.ts";
import { hasNodePools } from "../../plan/plan-objects.ts";
import type { UserCluster } from "../topics/topic-context.ts";
import type { ActionContext } from "./action.ts";

/**
 * Where manifests are planned and applied: in the cluster that the page shows. What only a management cluster has a use for
 * goes there, if this one is none and there is one of them: a page about a hosted cluster is about its NodePools too.
 */
export async function plannedCluster(
  manifests: readonly Manifest[],
  { cluster, clusters, signal }: ActionContext,
): Promise<UserCluster> {
  const isManaged = manifests.some(({ object }) => isForNodePools(object));
  if (!isManaged || (await hasNodePools(cluster.client, signal))) return cluster;
  const others = [...clusters.values()].filter((one) => one !== cluster);
  const answers = await Promise.allSettled(others.map(({ client }) => hasNodePools(client, signal)));
  const managing = others.filter((_, at) => {
    const answer = answers[at];
    return answer?.status === "fulfilled" && answer.value;
  });
  const [only] = managing;
  return only && managing.length === 1 ? only : cluster;
}
