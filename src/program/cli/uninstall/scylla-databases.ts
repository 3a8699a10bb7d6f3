import type { Client } from "../../../cluster/kube/client.ts";
import { ifThere } from "../../../cluster/kube/api-error.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { forEachBounded } from "../../../cluster/runtime/for-each-bounded.ts";
import { hasGate, type Pod } from "../../../domain/scylla/gate/gated-pod.ts";
import { releaseConfigMap } from "../../../domain/scylla/gate/release.ts";
import { writeRelease } from "../../../domain/scylla/gate/untuned-release-controller.ts";
import { nodeLabel, tuningNamespace } from "../../../domain/scylla/names.ts";
import { scyllaPodSelector } from "../../../domain/scylla/scylla-pod.ts";

/** Nodes that agents of Scylla have tuned, as far as their Jobs are still there. */
export async function tunedForScylla(client: Client, signal: AbortSignal): Promise<string[]> {
  const { items } = await client.list(kinds.job, { namespace: tuningNamespace, labelSelector: nodeLabel, signal });
  return [...new Set(items.flatMap(({ metadata }) => metadata.labels?.[nodeLabel] ?? []))].toSorted();
}

/**
 * Opens the gates of all databases, since nothing else would when their container starts again. Each gate and its Role go with
 * its pod.
 */
export async function openGates(client: Client, signal: AbortSignal): Promise<void> {
  const { items } = await client.list(kinds.pod, { labelSelector: scyllaPodSelector, signal });
  await forEachBounded(
    items.filter((pod) => hasGate(pod as Pod)),
    16,
    async (pod) => {
      const release = releaseConfigMap(pod, { outcome: "skipped: Attune was uninstalled" });
      await ifThere(writeRelease(client, release, signal));
    },
  );
}
