import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { foundation } from "../../src/program/cli/install/manifests.ts";
import { textFile } from "../../src/language/ignition/file-contents.ts";
import { ignitionConfig } from "../../src/language/ignition/config.ts";
import type { Client } from "../../src/cluster/kube/client.ts";
import { kinds, untyped } from "../../src/cluster/kube/kinds.ts";
import { machineConfigKind } from "../../src/domain/machine-config/api.ts";
import { machineConfigCrds } from "../../src/domain/machine-config/crds.ts";
import { systemNamespace } from "../../src/program/operator/names.ts";
import { VirtualClock } from "../../src/cluster/runtime/testing/virtual-clock.ts";
import { clusterCaches, type ClusterView } from "../../src/program/webhook/cluster-caches.ts";
import { webhookServiceAccount } from "../../src/program/webhook/rbac.ts";
import { clientFor, clientOfAccount } from "../servers/client-for.ts";
import { growingPause, untilEstablished } from "../servers/until.ts";
import { emptyServers, type ServerUnderTest } from "../servers/server-under-test.ts";

const conf = "/etc/crio/crio.conf.d/01-mine.conf";
const config = "config.openshift.io";

function definition(kind: string, plural: string): never {
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: anything, status: anything } } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${config}` },
    spec: {
      group: config,
      scope: "Cluster",
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  } as never;
}

for (const variant of emptyServers())
  describe(`caches of the webhook, on the ${variant.name} server`, () => {
    const clock = new VirtualClock();
    const stop = new AbortController();
    let server: ServerUnderTest;
    let admin: Client;
    let view: ClusterView;
    let running: Promise<void>;

    beforeAll(async () => {
      server = await variant.start();
      admin = clientFor(server);
      await applyManifests(admin, foundation());
      await untilEstablished(admin);
      view = clusterCaches(await clientOfAccount(server, systemNamespace, webhookServiceAccount), { clock });
    });

    afterAll(async () => {
      stop.abort();
      await running;
      await server?.close();
    });

    async function until(isSo: () => boolean): Promise<void> {
      for (const pause = growingPause(); !isSo(); await pause()) await clock.advance(10_000);
    }

    test("are undefined until they have synced", async () => {
      expect(() => view.check()).toThrow("not synced yet: cache of nodes");
      expect(view.objects()).toBeUndefined();
      running = view.run(stop.signal);
      await until(() => view.objects() !== undefined);
      await view.whenSettled();
      view.check();
      expect(view.objects()).toMatchObject({ nodes: [], profiles: [] });
      for (const kind of ["pools", "machineConfigs", "infrastructure", "featureGate"])
        expect(view.objects()).not.toHaveProperty(kind);
    });

    test("pick up kinds that are installed later, and keep only the fields they need", async () => {
      const given = [definition("Infrastructure", "infrastructures"), definition("FeatureGate", "featuregates")];
      await applyManifests(admin, [...machineConfigCrds, ...given]);
      await untilEstablished(admin);
      for (const [kind, plural] of [
        ["Infrastructure", "infrastructures"],
        ["FeatureGate", "featuregates"],
      ] as const)
        for (const name of ["cluster", "other"])
          await admin.create(untyped(`${config}/v1`, kind, plural, false), {
            apiVersion: `${config}/v1`,
            kind,
            metadata: { name },
          });
      const files = [
        textFile(conf, 0o644, "[crio.runtime.workloads.x]"),
        textFile("/etc/large", 0o644, "x".repeat(9000)),
      ];
      await admin.create(machineConfigKind, {
        apiVersion: machineConfigKind.apiVersion,
        kind: "MachineConfig",
        metadata: { name: "50-mine" },
        spec: { config: ignitionConfig(files) },
      });
      await admin.create(kinds.node, { apiVersion: "v1", kind: "Node", metadata: { name: "n" } });
      await until(() => {
        const { nodes = [], machineConfigs = [], pools, infrastructure, featureGate } = view.objects() ?? {};
        return Boolean(nodes.length && machineConfigs.length && pools && infrastructure && featureGate);
      });
      const { machineConfigs = [], infrastructure, featureGate } = view.objects() ?? {};
      expect([infrastructure, featureGate].map((one) => one?.metadata.name)).toEqual(["cluster", "cluster"]);
      expect(JSON.stringify(machineConfigs)).toContain(conf);
      expect(JSON.stringify(machineConfigs).length).toBeLessThan(1000);
    });
  });
