import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../../src/cluster/kube/client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { serviceMonitorKind } from "../../src/cluster/kube/manifest-kinds.ts";
import { keys } from "../../src/domain/hosted/protocol.ts";
import { apiVersion, hostedClusterKind, nodePoolKind } from "../../src/domain/node-pool/api.ts";
import {
  clusterApiProvider,
  machineDeploymentKind,
  machineKind,
  machineSetKind,
  templateAnnotation,
} from "../../src/domain/node-pool/cluster-api.ts";
import { findCondition } from "../../src/language/object/condition.ts";
import { customDefinition } from "../../src/language/object/custom-definition.ts";
import type { KindRef, KubeObject } from "../../src/language/object/meta.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { managementFoundation } from "../../src/program/cli/install/manifests.ts";
import { runManagement } from "../../src/program/management/management.ts";
import { managementServiceAccount } from "../../src/program/management/names.ts";
import { managementGrants } from "../../src/program/management/rbac.ts";
import { systemNamespace } from "../../src/program/operator/names.ts";
import { eventually, gone } from "../node-tuning/eventually.ts";
import { recording, type RecordedRequest, unused } from "../node-tuning/recorded-requests.ts";
import { clientFor, clientOfAccount } from "../servers/client-for.ts";
import { serverVariants, type ServerUnderTest } from "../servers/server-under-test.ts";
import { untilEstablished } from "../servers/until.ts";

const mostReplicas = 5;
const users = { namespace: "clusters" };
const controlPlane = { namespace: "clusters-demo" };
const merge = (patch: object): { type: "merge"; patch: object } => ({ type: "merge", patch });

for (const variant of serverVariants())
  describe(`the management side under its own account, on the ${variant.name} server`, { timeout: 120_000 }, () => {
    let server: ServerUnderTest;
    let admin: Client;
    const requests: RecordedRequest[] = [];
    const stop = new AbortController();
    let running: Promise<void> | undefined;

    beforeAll(async () => {
      server = await variant.start();
      admin = clientFor(server);
      const foreign = [serviceMonitorKind, machineDeploymentKind, machineSetKind, machineKind].map(definitionOf);
      await applyManifests(admin, [...managementFoundation(), ...foreign]);
      await untilEstablished(admin);
      await admin.create(kinds.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: "clusters" } });
      const account = await clientOfAccount(server, systemNamespace, managementServiceAccount);
      running = runManagement({
        client: recording(account, (request) => requests.push(request)),
        signal: stop.signal,
        image: "attune:test",
        provider: clusterApiProvider,
      });
    });
    afterAll(async () => {
      stop.abort();
      await running;
      await server?.close();
    });

    it("runs the operator of a hosted cluster, here in the management cluster itself", async () => {
      const kubeconfig = btoa(await inlined(server.kubeconfig));
      const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "kubeconfig" }, data: { kubeconfig } };
      await admin.create(kinds.secret, secret, users);
      const spec = { kubeconfig: { name: "kubeconfig" } };
      const hosted = { apiVersion, kind: "HostedCluster", metadata: { name: "demo" }, spec };
      await admin.create(hostedClusterKind, hosted, users);
      await eventually("its operator", () => admin.get(kinds.deployment, "attune-operator", controlPlane));
      await eventually("all applied", async () => {
        const { status } = await admin.get(hostedClusterKind, "demo", users);
        return findCondition(status?.conditions, "NodeTuningAvailable")?.reason === "OperatorNotAvailable";
      });
    });

    it("brings tuning and machines to NodePools, and follows changes", async () => {
      const tuned = (name: string): string =>
        JSON.stringify({ apiVersion: "tuned.openshift.io/v1", kind: "Tuned", metadata: { name }, spec: {} });
      const data = { tuning: tuned("a") };
      await admin.create(
        kinds.configMap,
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "t" }, data },
        users,
      );
      for (const upgradeType of ["Replace", "InPlace"] as const) {
        const name = upgradeType.toLowerCase();
        const metadata = { name, annotations: { [templateAnnotation]: "example.com/v1/Template/pool" } };
        const spec = {
          clusterName: "demo",
          release: { image: "release:4.22.0" },
          tuningConfig: [{ name: "t" }],
          management: { upgradeType },
        };
        await admin.create(nodePoolKind, { apiVersion, kind: "NodePool", metadata, spec }, users);
        const group = upgradeType === "Replace" ? machineDeploymentKind : machineSetKind;
        await eventually("its machines", () => admin.get(group, name, controlPlane));
        await eventually("its order", () => admin.get(kinds.configMap, `pool-order-${name}`, controlPlane));
      }
      const machine = {
        apiVersion: machineKind.apiVersion,
        kind: "Machine",
        metadata: { name: "m", annotations: { [keys.nodePool]: "clusters/replace" } },
      };
      await admin.create<KubeObject>(machineKind, machine, controlPlane);
      await admin.patch(nodePoolKind, "replace", merge({ spec: { nodeLabels: { a: "b" } } }), users);
      await eventually("labels of its node", async () => {
        const { metadata } = await admin.get(machineKind, "m", controlPlane);
        return metadata.labels?.["managed.hypershift.openshift.io.a"] === "b";
      });
      await admin.patch(kinds.configMap, "t", merge({ data: { tuning: tuned("b") } }), users);
      await eventually("the change", async () => {
        const { data = {} } = await admin.get(kinds.configMap, "tuned-replace", controlPlane);
        return data["tuned"]?.includes("name: b");
      });
      await eventually("the Secret that machines boot with", async () => (await tokens()).length > 0);
      const [token = ""] = await tokens();
      await admin.patch(kinds.secret, token, merge({ data: { config: btoa("edited") } }), controlPlane);
      await eventually("restored", async () => {
        const { data = {} } = await admin.get(kinds.secret, token, controlPlane);
        return data["config"] !== btoa("edited");
      });
      await admin.patch(nodePoolKind, "inplace", merge({ spec: { replicas: mostReplicas + 1 } }), users);
      await eventually("an event about machines that the API server refuses", async () => {
        const { items } = await admin.list(kinds.event, users);
        return items.some(({ reason, count = 0 }) => reason === "ReconcileError" && count > 1);
      });
    });

    it("removes all of it again", async () => {
      const finalizers = { metadata: { finalizers: ["example.com/operator"] } };
      await admin.patch(kinds.configMap, "tuned-inplace", merge(finalizers), controlPlane);
      for (const name of ["replace", "inplace"]) await admin.delete(nodePoolKind, name, users);
      await admin.delete(hostedClusterKind, "demo", users);
      for (const name of ["replace", "inplace"]) await gone("the NodePool", () => admin.get(nodePoolKind, name, users));
      await gone("the operator", () => admin.get(kinds.deployment, "attune-operator", controlPlane));
      await gone("its account", () => admin.get(kinds.serviceAccount, "attune-operator", controlPlane));
      for (const kind of [kinds.roleBinding, serviceMonitorKind, kinds.service])
        await eventually("removed", async () => {
          const { items } = await admin.list<KubeObject>(kind, controlPlane);
          return items.every(({ metadata }) => metadata.labels?.["app.kubernetes.io/managed-by"] === undefined);
        });
    });

    it("needed every one of its rights", async () => {
      stop.abort();
      await running;
      // Watches stream lists from servers that support it; other servers get list requests.
      const lists = requests.filter(({ verb }) => verb === "watch").map((request) => ({ ...request, verb: "list" }));
      expect(unused(managementGrants(systemNamespace), [...requests, ...lists])).toEqual([]);
    });

    async function tokens(): Promise<string[]> {
      const { items } = await admin.list(kinds.secret, controlPlane);
      return items.map(({ metadata: { name = "" } }) => name).filter((name) => name.startsWith("token-"));
    }
  });

function definitionOf({ apiVersion: version, kind, plural }: KindRef): KubeObject {
  const [group = "", name = ""] = version.split("/");
  const any = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const replicas = { type: "integer", maximum: mostReplicas };
  const schema = { openAPIV3Schema: { ...any, properties: { spec: { ...any, properties: { replicas } } } } };
  const versions = [{ name, served: true, storage: true, schema, subresources: { status: {} } }];
  return customDefinition({ group, kind, plural, scope: "Namespaced", versions });
}

/** Without files. */
async function inlined(path: string): Promise<string> {
  const text = await readFile(path, "utf8");
  const files = [...text.matchAll(/^(\s*)(certificate-authority|client-certificate|client-key): (\S+)$/gm)];
  const parts = await Promise.all(
    files.map(async ([line, indent = "", field = "", file = ""]) => {
      return [line, `${indent}${field}-data: ${(await readFile(file)).toString("base64")}`] as const;
    }),
  );
  return parts.reduce((whole, [line, data]) => whole.replace(line, data), text);
}
