import { join } from "node:path";
import { expect, test } from "vitest";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { machineConfigPoolKind } from "../../../domain/machine-config/api.ts";
import { machineConfigCrds } from "../../../domain/machine-config/crds.ts";
import { testCluster } from "../testing/test-cluster.ts";
import { nodeToken } from "./node-token.ts";

test("no token is issued for a node that has joined, for no pool, or for a time that no API server grants", async () => {
  const { client, dir } = await testCluster(machineConfigCrds);
  const { apiVersion, kind } = machineConfigPoolKind;
  await client.create(machineConfigPoolKind, { apiVersion, kind, metadata: { name: "worker" }, spec: {} });
  await client.create(kinds.node, { apiVersion: "v1", kind: "Node", metadata: { name: "joined" } });
  const asked = (node: string, more: { pool?: string; ttl?: number } = {}): Promise<void> => {
    const options = { kubeconfig: join(dir, "kubeconfig"), context: undefined, server: undefined };
    return nodeToken(node, { ...options, pool: "worker", ttl: 3_600_000, ...more });
  };
  await expect(asked("joined")).rejects.toThrow(
    "node joined has joined: delete the Node first, or choose another name",
  );
  await expect(asked("new", { pool: "none" })).rejects.toThrow(
    "MachineConfigPool none does not exist; there are: worker",
  );
  await expect(asked("new", { ttl: 60_000 })).rejects.toThrow("--ttl: must be from 10m to 24h");
  await expect(asked("new")).rejects.toThrow("the operator serves no first boots");
});
