import { expect, test } from "vitest";
import { ApiError } from "../../cluster/kube/api-error.ts";
import type { Client } from "../../cluster/kube/client.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import { leaseKind } from "../../cluster/runtime/leader/lease.ts";
import { machineConfigCrds } from "../../domain/machine-config/crds.ts";
import { tuningNamespace as namespace } from "../../domain/node-tuning/api.ts";
import { clusterFeatures } from "../operator/cluster-features.ts";
import { operatorLease, operatorServiceAccount } from "../operator/rbac.ts";
import { testCluster } from "../cli/testing/test-cluster.ts";
import { gatherRollout } from "./gather-rollout.ts";

test("the node of the operator is that of the pod which holds its lease", async () => {
  const { client, signal } = await testCluster(machineConfigCrds);
  const features = await clusterFeatures(client, signal);
  const operatorNode = async (by: Client = client): Promise<string | undefined> =>
    (await gatherRollout(by, features, { namespace, signal }))?.operatorNode;
  expect(await operatorNode()).toBeUndefined();

  const pod = (name: string, serviceAccountName: string, nodeName: string) =>
    client.create(kinds.pod, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace },
      spec: { serviceAccountName, nodeName, containers: [{ name: "c", image: "i" }] },
    });
  for (const name of [operatorServiceAccount, "other"])
    await client.create(kinds.serviceAccount, {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name, namespace },
    });
  await pod("operator-1", operatorServiceAccount, "first");
  await pod("operator-2", operatorServiceAccount, "second");
  await pod("laptop", "other", "third");
  const lease = { apiVersion: leaseKind.apiVersion, kind: "Lease", metadata: { name: operatorLease, namespace } };
  await client.create(leaseKind, { ...lease, spec: { holderIdentity: "operator-2_0b6d" } });
  expect(await operatorNode()).toBe("second");

  const holds = (holderIdentity: string) =>
    client.patch(leaseKind, operatorLease, { type: "merge", patch: { spec: { holderIdentity } } }, { namespace });
  // An operator outside of the cluster, on a machine that has the name of a pod.
  await holds("laptop_0b6d");
  expect(await operatorNode()).toBeUndefined();

  await holds("operator-1_0b6d");
  const refused = new ApiError({ code: 403, reason: "Forbidden", message: "no leases for you" });
  const get = (...[kind, name]: Parameters<Client["get"]>): Promise<unknown> =>
    kind.kind === "Lease" ? Promise.reject(refused) : client.get(kind, name, { signal });
  const restricted = { get, list: client.list.bind(client) } as unknown as Client;
  expect([await operatorNode(), await operatorNode(restricted)]).toEqual(["first", undefined]);
});
