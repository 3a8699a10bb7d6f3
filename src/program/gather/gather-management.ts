import { gzipSync } from "node:zlib";
import { ifThere } from "../../cluster/kube/api-error.ts";
import type { Client } from "../../cluster/kube/client.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import type { ConfigMap } from "../../domain/hosted/envelope/read-manifests.ts";
import { contentOf, type HostedProtocol, protocols } from "../../domain/hosted/protocol.ts";
import { controlPlaneOf, hostedClusterKind, nodePoolKind, type NodePool } from "../../domain/node-pool/api.ts";
import { type ManagementState, nodePoolsReached } from "../../domain/plan/node-pools/node-pool-changes.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { sha256 } from "../operator/sha256.ts";
import { version } from "../version.ts";

/** What a plan for NodePools depends on. `touched`: what is written or deleted; of other NodePools nothing more is read. */
export async function gatherManagement(
  client: Client,
  touched: readonly KubeObject[],
  { now, signal }: { readonly now: number; readonly signal: AbortSignal },
): Promise<ManagementState> {
  const nodePools = (await client.list(nodePoolKind, { signal })).items;
  const coming = touched.filter(({ kind }) => kind === nodePoolKind.kind) as NodePool[];
  const reached = [...nodePoolsReached(nodePools, touched), ...coming];
  const namespaces = new Set(
    reached.flatMap((nodePool) => [nodePool.metadata.namespace ?? "", controlPlaneOf(nodePool)]),
  );
  const configMaps: ConfigMap[] = [];
  for (const namespace of namespaces)
    configMaps.push(...((await client.list(kinds.configMap, { namespace, signal })).items as ConfigMap[]));
  return {
    nodePools,
    hostedClusters: (await ifThere(client.list(hostedClusterKind, { signal })))?.items ?? [],
    configMaps,
    protocol: protocolOf(configMaps),
    version,
    now,
    digest: sha256,
    compress: (bytes) => gzipSync(bytes),
  };
}

/** By what the management side has written: its own options are not in the cluster where it runs outside of it. */
function protocolOf(configMaps: readonly ConfigMap[]): HostedProtocol {
  const isShipped = configMaps.some(
    (one) =>
      ["tuneds", "profile"].includes(contentOf(one) ?? "") &&
      Object.hasOwn(one.data ?? {}, protocols.shipped.tuningKey),
  );
  return isShipped ? protocols.shipped : protocols.documented;
}
