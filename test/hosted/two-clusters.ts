import { loadConnection } from "../../src/cluster/kube/connect/load-connection.ts";
import { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { machineConfigCrds } from "../../src/domain/machine-config/crds.ts";
import { nodePoolCrds } from "../../src/domain/node-pool/crds.ts";
import { tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { nodeTuningCrds } from "../../src/domain/node-tuning/crds.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { rbacObjects } from "../../src/language/object/grant.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { createMissing } from "../../src/program/cli/up/cluster-access.ts";
import { hostedClusterGrants } from "../../src/program/operator/hosted-rbac.ts";
import { clientOfAccount } from "../servers/client-for.ts";
import { clusterOperatorDefinition } from "../node-tuning/cluster-operator-definition.ts";
import { controllerManagerPath, startControllerManager } from "../servers/controller-manager.ts";
import { serverVariants, type ServerUnderTest } from "../servers/server-under-test.ts";
import { untilEstablished } from "../servers/until.ts";

/** The namespace of NodePools and of users' ConfigMaps, and that of the control plane of one hosted cluster. */
export const poolNamespace = "clusters";
export const controlPlane = "clusters-demo";

export interface OneCluster {
  readonly server: ServerUnderTest;
  /** Of an administrator. */
  readonly client: HttpClient;
}

export interface TwoClusters {
  readonly management: OneCluster;
  readonly hosted: OneCluster;
  close(): Promise<void>;
}

/**
 * A management cluster and one hosted cluster, with their kinds and namespaces. Both are API servers in this process, or real
 * ones where `KUBEBUILDER_ASSETS` names a folder that has them.
 */
export async function twoClusters(): Promise<TwoClusters> {
  const [management, hosted] = await Promise.all([
    start(nodePoolCrds, [poolNamespace, controlPlane]),
    start(
      [...nodeTuningCrds, ...machineConfigCrds, clusterOperatorDefinition],
      [tuningNamespace, "openshift-config-managed"],
    ),
  ]);
  return {
    management,
    hosted,
    async close() {
      for (const { client, close } of [management, hosted]) {
        client.close();
        await close();
      }
    },
  };
}

/** As HyperShift makes those of control planes. */
export function namespaceLike(name: string): KubeObject {
  const labels = { "hypershift.openshift.io/hosted-control-plane": "true" };
  return { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };
}

/** With the rights that the operator needs in a hosted cluster, and no others. */
export async function operatorAccount({ server, client }: OneCluster): Promise<HttpClient> {
  const account = { namespace: tuningNamespace, name: "attune-operator" };
  await applyManifests(client, rbacObjects("attune:operator", account, hostedClusterGrants()));
  return clientOfAccount(server, account.namespace, account.name);
}

async function start(
  crds: readonly KubeObject[],
  namespaces: readonly string[],
): Promise<OneCluster & { readonly close: () => Promise<void> }> {
  const { name, start: begin } = serverVariants().at(-1)!;
  const server = await begin();
  const client = new HttpClient(await loadConnection({ kubeconfig: server.kubeconfig }));
  await Promise.all([
    // A partitioned cluster has some of them.
    ...crds.map((crd) => createMissing(client, kinds.customResourceDefinition, crd)),
    ...namespaces.map((namespace) => createMissing(client, kinds.namespace, namespaceLike(namespace))),
  ]);
  await untilEstablished(client);
  // The embedded server deletes what has lost its owner by itself.
  const collector =
    name === "real" && controllerManagerPath
      ? await startControllerManager({
          path: controllerManagerPath,
          server,
          url: server.url,
          accounts: false,
          controllers: ["garbage-collector-controller"],
        })
      : undefined;
  const close = async (): Promise<void> => {
    await collector?.stop();
    await server.close();
  };
  return { server, client, close };
}
