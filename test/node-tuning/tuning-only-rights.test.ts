import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { machineConfigKind } from "../../src/domain/machine-config/api.ts";
import { machineConfigCrds } from "../../src/domain/machine-config/crds.ts";
import { profileKind, tunedKind, tuningNamespace as namespace } from "../../src/domain/node-tuning/api.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { foundation } from "../../src/program/cli/install/manifests.ts";
import { tuningOnly } from "../../src/program/operator/cluster-features.ts";
import { runOperator } from "../../src/program/operator/operator.ts";
import { operatorServiceAccount } from "../../src/program/operator/rbac.ts";
import { systemNamespace } from "../../src/program/operator/names.ts";
import { clientFor, clientOfAccount } from "../servers/client-for.ts";
import { serverVariants, type ServerUnderTest } from "../servers/server-under-test.ts";
import { eventually } from "./eventually.ts";

/** On a cluster that has machine configuration all the same. */
for (const variant of serverVariants())
  describe(`the operator installed with --mode tuning, on the ${variant.name} server`, { timeout: 120_000 }, () => {
    let server: ServerUnderTest;
    let admin: HttpClient;
    let account: HttpClient;
    const stop = new AbortController();
    let running: Promise<void> | undefined;

    beforeAll(async () => {
      server = await variant.start();
      admin = clientFor(server);
      await applyManifests(admin, [...foundation({ mode: "tuning" }), ...machineConfigCrds]);
      await eventually("kinds are served", () => admin.list(tunedKind));
      await eventually("kinds are served", () => admin.list(machineConfigKind));
      account = await clientOfAccount(server, systemNamespace, operatorServiceAccount);
      const [image, agentServiceAccount, version] = ["attune:test", "attune-agent", "1.2.3"];
      const { signal } = stop;
      running = runOperator({ client: account, signal, image, agentServiceAccount, version, features: tuningOnly });
    });
    afterAll(async () => {
      stop.abort();
      await running;
      await server?.close();
    });

    it("tunes nodes and reports its status without rights on machine configuration", async () => {
      const metadata = { name: "n", labels: { "kubernetes.io/os": "linux" } };
      await admin.create(kinds.node, { apiVersion: "v1", kind: "Node", metadata });
      await eventually("a Profile", () => admin.get(profileKind, "n", { namespace }));
      await eventually("a status", () => admin.get(kinds.configMap, "node-tuning-status", { namespace }));
    });

    it("may not read or write machine configuration", async () => {
      const object = { apiVersion: machineConfigKind.apiVersion, kind: "MachineConfig", metadata: { name: "evil" } };
      await expect(account.list(machineConfigKind)).rejects.toThrow(/forbidden/);
      await expect(account.create(machineConfigKind, object)).rejects.toThrow(/forbidden/);
    });
  });
