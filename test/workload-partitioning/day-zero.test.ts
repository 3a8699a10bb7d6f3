import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isApiError } from "../../src/cluster/kube/api-error.ts";
import type { Client, KindRef } from "../../src/cluster/kube/client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { workloadPartitioningCrds } from "../../src/domain/workload-partitioning/crds.ts";
import { infrastructureKind, partitioningConfigMap } from "../../src/domain/workload-partitioning/identifier.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { foundation } from "../../src/program/cli/install/manifests.ts";
import { systemNamespace } from "../../src/program/operator/names.ts";
import { operatorServiceAccount } from "../../src/program/operator/rbac.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { fixture } from "./cases.ts";
import { installationDifferences } from "./differences.ts";
import { clientFor, clientOfAccount } from "../servers/client-for.ts";
import { emptyServers, type ServerUnderTest } from "../servers/server-under-test.ts";

const named = (name: string, more: object = {}): KubeObject => ({
  apiVersion: infrastructureKind.apiVersion,
  kind: "Infrastructure",
  metadata: { name },
  spec: {},
  ...more,
});
const { namespace, name } = partitioningConfigMap;

interface RecordedInfrastructure {
  readonly before?: object;
  readonly status?: object;
  readonly stored?: object | null;
  /** The field, and the values that it may have. */
  readonly refused?: readonly string[];
}

const { infrastructures: recorded } = fixture<{
  readonly infrastructures: Readonly<Record<string, RecordedInfrastructure>>;
}>("infrastructure-installer");
const configMaps = kinds.configMap as KindRef;
const configMap = (data: Record<string, string>): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace },
  data,
});

for (const variant of emptyServers())
  describe(`the mode of a cluster, on the ${variant.name} server`, { timeout: 120_000 }, () => {
    let server: ServerUnderTest;
    let admin: Client;
    let operator: Client;

    beforeAll(async () => {
      server = await variant.start();
      admin = clientFor(server);
      await applyManifests(admin, workloadPartitioningCrds);
      await eventually("the kind is served", () => admin.list(infrastructureKind));
    });
    afterAll(() => server?.close());

    /** Empty: accepted. */
    async function refusal(request: Promise<unknown>): Promise<string> {
      try {
        await request;
        return "";
      } catch (error) {
        if (isApiError(error)) return `${error.code} ${error.message}`;
        throw error;
      }
    }
    const setStatus = (status: object | null, client = admin): Promise<string> =>
      refusal(
        client.patch(infrastructureKind, "cluster", { type: "merge", patch: { status } }, { subresource: "status" }),
      );
    const statusNow = async (): Promise<unknown> => (await admin.get(infrastructureKind, "cluster"))["status"];
    const setData = (data: object | null, client = admin): Promise<string> =>
      refusal(client.patch(configMaps, name, { type: "merge", patch: { data } }, { namespace }));

    describe("by the definition of Infrastructures alone", () => {
      it.each(Object.entries(recorded))("is as recorded: %s", async (id, { before, status, stored, refused }) => {
        await admin.create(infrastructureKind, named("cluster"));
        const put = async (wanted: object): Promise<string> => {
          const found = await admin.get(infrastructureKind, "cluster");
          return refusal(admin.update(infrastructureKind, { ...found, status: wanted }, { subresource: "status" }));
        };
        if (before) expect(await put(before)).toBe("");
        const answer = status ? await put(status) : "";
        if (id in installationDifferences) expect(answer).toMatch(/^422 .*decided when a cluster is installed/);
        else if (refused) for (const part of ["422", ...refused]) expect(answer).toContain(part);
        else expect([answer, (await statusNow()) ?? null]).toEqual(["", stored]);
        await admin.delete(infrastructureKind, "cluster");
      });

      it("belongs to one object with a fixed name", async () => {
        expect(await refusal(admin.create(infrastructureKind, named("other")))).toContain("named cluster");
        await admin.create(infrastructureKind, named("cluster", { spec: { platformSpec: { type: "None" } } }));
        expect(await admin.get(infrastructureKind, "cluster")).toMatchObject({
          spec: { platformSpec: { type: "None" } },
        });
      });

      it("is none until a status is written, which has defaults and keeps fields of others", async () => {
        expect(await statusNow()).toBeUndefined();
        expect(await setStatus({ cpuPartitioning: "Workers" })).toMatch(/^422 .*cpuPartitioning.*"None", "AllNodes"/);
        expect(await setStatus({ infrastructureName: "lab-x1" })).toBe("");
        expect(await statusNow()).toEqual({
          cpuPartitioning: "None",
          controlPlaneTopology: "HighlyAvailable",
          infrastructureTopology: "HighlyAvailable",
          infrastructureName: "lab-x1",
        });
      });

      it("is not turned on afterwards", async () => {
        expect(await setStatus({ cpuPartitioning: "AllNodes" })).toMatch(/^422 .*decided when a cluster is installed/);
        expect(await statusNow()).toMatchObject({ cpuPartitioning: "None" });
      });

      it("is not turned off afterwards, in any way", async () => {
        await admin.delete(infrastructureKind, "cluster");
        await admin.create(infrastructureKind, named("cluster"));
        expect(await setStatus({ cpuPartitioning: "AllNodes" })).toBe("");
        for (const status of [{ cpuPartitioning: "None" }, { cpuPartitioning: null }, null])
          expect(await setStatus(status)).toMatch(/^422 .*decided when a cluster is installed/);
        expect(await statusNow()).toMatchObject({ cpuPartitioning: "AllNodes" });
        await admin.delete(infrastructureKind, "cluster");
      });
    });

    describe("with the policies of an installation", () => {
      beforeAll(async () => {
        await applyManifests(admin, foundation({ mode: "standalone" }));
        operator = await clientOfAccount(server, systemNamespace, operatorServiceAccount);
        await eventually(
          "the policy is in force",
          async () =>
            (await refusal(
              admin.create(configMaps, configMap({ cpuPartitioning: "Workers" }), { namespace, dryRun: true }),
            )) !== "",
        );
      });

      it("is set by the operator alone, for a single node", async () => {
        await admin.create(infrastructureKind, named("cluster"));
        expect(await setStatus({ cpuPartitioning: "None" })).toBe("");
        expect(await refusal(admin.delete(infrastructureKind, "cluster"))).toMatch(
          /^403 .*None could become AllNodes if this object were created anew/,
        );
        expect(await setStatus({ cpuPartitioning: "AllNodes" }, operator)).not.toBe("");
        expect(await setStatus({ controlPlaneTopology: "SingleReplica" })).toBe("");
        expect(await setStatus({ cpuPartitioning: "AllNodes" })).toMatch(
          /^403 .*None cannot become AllNodes: CPU partitioning is decided when a cluster is installed/,
        );
        expect(await setStatus({ cpuPartitioning: "AllNodes" }, operator)).toBe("");
        expect(await statusNow()).toMatchObject({ cpuPartitioning: "AllNodes" });
      });

      it("is kept by the Infrastructure, which cannot be deleted", async () => {
        for (const client of [admin, operator])
          for (const status of [{ cpuPartitioning: "None" }, { cpuPartitioning: null }, null])
            expect(await setStatus(status, client)).toMatch(/^4(03|22) .*installed/);
        expect(await refusal(admin.delete(infrastructureKind, "cluster"))).toMatch(
          /^403 .*AllNodes cannot become None/,
        );
        // What does not concern the mode is free.
        expect(await setStatus({ infrastructureName: "lab-x2" })).toBe("");
        expect(await statusNow()).toMatchObject({ cpuPartitioning: "AllNodes", infrastructureName: "lab-x2" });
      });

      it("is kept by the ConfigMap of a cluster without Infrastructure", async () => {
        const create = (data: Record<string, string>): Promise<string> =>
          refusal(admin.create(configMaps, configMap(data), { namespace }));
        expect(await create({ cpuPartitioning: "AllNodes" })).toMatch(/^403 .*None cannot become AllNodes/);
        expect(await create({ cpuPartitioning: "None", controlPlaneTopology: "HighlyAvailable" })).toBe("");
        expect(await setData({ cpuPartitioning: "AllNodes" })).toMatch(/^403 .*None cannot become AllNodes/);
        expect(await setData({ cpuPartitioning: "AllNodes" }, operator)).toMatch(/^403 .*None cannot become AllNodes/);
        expect(await setData({ cpuPartitioning: "workers" })).toMatch(/^4(03|22) /);
        expect(await setData({ controlPlaneTopology: "SingleReplica" })).toBe("");
        expect(await setData({ cpuPartitioning: "AllNodes" })).toMatch(/^403 /);
        expect(await setData({ cpuPartitioning: "AllNodes" }, operator)).toBe("");
        for (const data of [{ cpuPartitioning: "None" }, { cpuPartitioning: null }, null])
          expect(await setData(data)).toMatch(/^403 .*AllNodes cannot become None/);
        expect(await refusal(admin.delete(configMaps, name, { namespace }))).toMatch(
          /^403 .*AllNodes cannot become None/,
        );
        expect(await setData({ infrastructureTopology: "SingleReplica" })).toBe("");
      });

      it("leaves other ConfigMaps, and the same name in other namespaces, alone", async () => {
        const data = { cpuPartitioning: "AllNodes" };
        const other = { ...configMap(data), metadata: { name: "other", namespace } };
        const elsewhere = { ...configMap(data), metadata: { name, namespace: "default" } };
        await admin.create(configMaps, other, { namespace });
        await admin.create(configMaps, elsewhere, { namespace: "default" });
        expect(await refusal(admin.delete(configMaps, "other", { namespace }))).toBe("");
        expect(await refusal(admin.delete(configMaps, name, { namespace: "default" }))).toBe("");
      });

      it("goes with the namespace of its ConfigMap, also where a client deletes both at once", async () => {
        await admin.patch(
          configMaps,
          name,
          { type: "merge", patch: { metadata: { finalizers: ["test/kept"] } } },
          { namespace },
        );
        await admin.delete(kinds.namespace, namespace);
        await eventually(
          "it may be deleted",
          async () => (await refusal(admin.delete(configMaps, name, { namespace }))) === "",
        );
        const { metadata } = await admin.get(configMaps, name, { namespace });
        expect(metadata.deletionTimestamp).toBeDefined();
        await admin.patch(
          configMaps,
          name,
          { type: "merge", patch: { metadata: { finalizers: null } } },
          { namespace },
        );
      });
    });
  });
