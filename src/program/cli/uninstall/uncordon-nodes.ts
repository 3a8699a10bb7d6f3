import type { Client } from "../../../cluster/kube/client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { ownAnnotations } from "../../../domain/rollout/node-annotations.ts";
import { ifThere } from "../../../cluster/kube/api-error.ts";

/** Takes back the cordons of updates that no operator finishes any more. Cordons of other clients stay. */
export async function uncordonNodes(client: Client, signal: AbortSignal): Promise<void> {
  const { items } = await client.list(kinds.node, { signal });
  const annotations = Object.fromEntries(Object.values(ownAnnotations).map((name) => [name, null]));
  for (const { metadata } of items) {
    const { name = "", uid } = metadata;
    if (metadata.annotations?.[ownAnnotations.cordonedFor] === undefined) continue;
    const patch = { metadata: { uid, annotations }, spec: { unschedulable: null } };
    await ifThere(client.patch(kinds.node, name, { type: "merge", patch }, { signal }));
  }
}
