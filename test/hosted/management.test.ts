import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findCondition } from "../../src/language/object/condition.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import type { Client } from "../../src/cluster/kube/client.ts";
import { keys } from "../../src/domain/hosted/protocol.ts";
import { apiVersion, hostedClusterKind, nodePoolKind } from "../../src/domain/node-pool/api.ts";
import { nodePoolCrds } from "../../src/domain/node-pool/crds.ts";
import { runManagement } from "../../src/program/management/management.ts";
import { clientFor } from "../servers/client-for.ts";
import { serverVariants, type ServerUnderTest } from "../servers/server-under-test.ts";
import { untilEstablished } from "../servers/until.ts";
import { eventually } from "../node-tuning/eventually.ts";

const users = { namespace: "clusters" };
const controlPlane = { namespace: "clusters-demo" };

for (const variant of serverVariants())
  describe(`the management side, on the ${variant.name} server`, { timeout: 120_000 }, () => {
    let server: ServerUnderTest;
    let client: Client;
    const stop = new AbortController();
    let running: Promise<void> | undefined;

    beforeAll(async () => {
      server = await variant.start();
      client = clientFor(server);
      for (const crd of nodePoolCrds) await client.create(kinds.customResourceDefinition, crd as never);
      await untilEstablished(client);
      for (const { namespace } of [users, controlPlane])
        await client.create(kinds.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
      await client.create(
        hostedClusterKind,
        { apiVersion, kind: "HostedCluster", metadata: { name: "demo", ...users }, spec: {} },
        users,
      );
      running = runManagement({ client, signal: stop.signal, image: "attune:test", leaderElection: false });
    });
    afterAll(async () => {
      stop.abort();
      await running;
      await server?.close();
    });

    it("brings the Tuneds of a NodePool to its control plane namespace, and reports what is wrong", async () => {
      const tuned = "apiVersion: tuned.openshift.io/v1\nkind: Tuned\nmetadata: {name: a}\nspec: {}\n";
      await createConfigMap("t", { tuning: tuned });
      await client.create(
        nodePoolKind,
        {
          apiVersion,
          kind: "NodePool",
          metadata: { name: "np1", ...users },
          spec: { clusterName: "demo", tuningConfig: [{ name: "t" }] },
        },
        users,
      );
      await eventually("the ConfigMap", () => client.get(kinds.configMap, "tuned-np1", controlPlane));
      const { metadata, data } = await client.get(kinds.configMap, "tuned-np1", controlPlane);
      expect(metadata.labels).toEqual({ [keys.nodePool]: "np1", [keys.tunedConfig]: "true" });
      expect(metadata.annotations?.[keys.nodePool]).toBe("clusters/np1");
      expect(data?.["tuned"]).toContain("kind: Tuned");
      await eventually("valid", async () => (await condition("ValidTuningConfig"))?.status === "True");
      await client.patch(
        kinds.configMap,
        "t",
        { type: "merge", patch: { data: { tuning: `${tuned}\n---\na: [` } } },
        users,
      );
      await eventually("invalid", async () => (await condition("ValidTuningConfig"))?.status === "False");
      expect((await condition("ValidTuningConfig"))?.message).toMatch(/^ConfigMap t, document 2: is not YAML/);
      await client.get(kinds.configMap, "tuned-np1", controlPlane);
    });

    async function condition(type: string): Promise<{ status: string; message: string } | undefined> {
      const { status } = await client.get(nodePoolKind, "np1", users);
      return findCondition(status?.conditions, type);
    }

    function createConfigMap(name: string, data: Record<string, string>): Promise<unknown> {
      return client.create(kinds.configMap, { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data }, users);
    }
  });
