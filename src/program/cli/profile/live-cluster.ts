import { parseTopology } from "../../../language/cpu/topology-text.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { machineConfigPoolKind } from "../../../domain/machine-config/api.ts";
import { profileKind } from "../../../domain/node-tuning/api.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { gatherPlatform } from "../../gather/gather-profiles.ts";
import { ifThere } from "../../../cluster/kube/api-error.ts";
import type { KnownCluster } from "./known-cluster.ts";

/** Reads a live cluster. Agents report the hardware of their nodes in Profiles. */
export async function readLiveCluster(client: Client, namespace: string, signal: AbortSignal): Promise<KnownCluster> {
  const [nodes, pools, profiles, { infrastructure }] = await Promise.all([
    client.list(kinds.node, { signal }).then(({ items }) => items as KubeObject[]),
    ifThere(client.list(machineConfigPoolKind, { signal })),
    ifThere(client.list(profileKind, { namespace, signal })),
    gatherPlatform(client, signal),
  ]);
  const hardware = new Map((profiles?.items ?? []).map(({ metadata, status }) => [metadata.name, status?.hardware]));
  return {
    nodes,
    pools: pools?.items,
    infrastructure,
    hardware: async (node) => {
      const found = hardware.get(node);
      const topology = parseTopology(found);
      return topology && { topology, ...(found?.architecture ? { architecture: found.architecture } : {}) };
    },
    warnings: [],
  };
}
