import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConnection } from "../../src/cluster/kube/connect/load-connection.ts";
import { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { machineConfigCrds } from "../../src/domain/machine-config/crds.ts";
import { nodePoolCrds } from "../../src/domain/node-pool/crds.ts";
import { tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { nodeTuningCrds } from "../../src/domain/node-tuning/crds.ts";
import { type ApiServer, startServer } from "../../src/embedded/apiserver/server.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { clusterOperatorDefinition } from "../node-tuning/cluster-operator-definition.ts";

/** The namespace of NodePools and of users' ConfigMaps, and that of the control plane of one hosted cluster. */
export const poolNamespace = "clusters";
export const controlPlane = "clusters-demo";

export interface OneCluster {
  readonly server: ApiServer;
  /** Of an administrator. */
  readonly client: HttpClient;
}

export interface TwoClusters {
  readonly management: OneCluster;
  readonly hosted: OneCluster;
  close(): Promise<void>;
}

/** A management cluster and one hosted cluster, each an API server in this process, with their kinds and namespaces. */
export async function twoClusters(): Promise<TwoClusters> {
  const dir = await mkdtemp(join(tmpdir(), "attune-hosted-"));
  const [management, hosted] = await Promise.all([
    start(join(dir, "management"), nodePoolCrds, [poolNamespace, controlPlane]),
    start(
      join(dir, "hosted"),
      [...nodeTuningCrds, ...machineConfigCrds, clusterOperatorDefinition],
      [tuningNamespace, "openshift-config-managed"],
    ),
  ]);
  return {
    management,
    hosted,
    async close() {
      for (const { client, server } of [management, hosted]) {
        client.close();
        await server.close();
      }
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** As HyperShift makes those of control planes. */
export function namespaceLike(name: string): KubeObject {
  const labels = { "hypershift.openshift.io/hosted-control-plane": "true" };
  return { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };
}

async function start(dir: string, crds: readonly KubeObject[], namespaces: readonly string[]): Promise<OneCluster> {
  const server = await startServer({ dir, storage: "memory" });
  const client = new HttpClient(await loadConnection({ kubeconfig: server.kubeconfig }));
  await Promise.all([
    ...crds.map(async (crd) => client.create(kinds.customResourceDefinition, crd)),
    ...namespaces.map(async (name) => client.create(kinds.namespace, namespaceLike(name))),
  ]);
  return { server, client };
}
