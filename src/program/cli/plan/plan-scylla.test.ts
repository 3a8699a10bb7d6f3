import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { loadConnection } from "../../../cluster/kube/connect/load-connection.ts";
import { nodeTuningCrds } from "../../../domain/node-tuning/crds.ts";
import { scyllaNodeConfigKind, scyllaOperatorConfigKind } from "../../../domain/scylla/api.ts";
import { scyllaCrds } from "../../../domain/scylla/config/crds.ts";
import { tuningNamespace } from "../../../domain/scylla/names.ts";
import { startServer, type ApiServer } from "../../../embedded/apiserver/server.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { writeYaml } from "../../../language/object/write-yaml.ts";
import { RecordingTerminal } from "../terminal/testing/recording-terminal.ts";
import type { PlanDocument } from "../../plan/plan-objects.ts";
import { planOn, type PlanOptions } from "./plan.ts";

let dir: string;
let server: ApiServer;
let client: HttpClient;
const { signal } = new AbortController();
const { apiVersion, kind } = scyllaNodeConfigKind;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "attune-plan-"));
  server = await startServer({ dir, storage: "memory" });
  client = new HttpClient(await loadConnection({ kubeconfig: server.kubeconfig }));
  await addKinds(nodeTuningCrds);
  for (const name of ["n1", "n2", "n3", "n4", "n5"]) {
    const metadata = { name, labels: { "kubernetes.io/os": "linux", pool: "db" } };
    await client.create(kinds.node, { apiVersion: "v1", kind: "Node", metadata });
  }
});
afterAll(async () => {
  client.close();
  await server.close();
  await rm(dir, { recursive: true, force: true });
});

async function addKinds(crds: readonly KubeObject[]): Promise<void> {
  for (const object of crds)
    await client.patch(
      kinds.customResourceDefinition,
      object.metadata.name ?? "",
      { type: "apply", object },
      { fieldManager: "test" },
    );
}

function config(name: string, spec: object = {}): KubeObject {
  return {
    apiVersion,
    kind,
    metadata: { name },
    spec: { placement: { nodeSelector: { pool: "db" } }, ...spec },
  };
}

async function planned(object: KubeObject, output: PlanOptions["output"]): Promise<{ code: number; text: string }> {
  const said = new RecordingTerminal();
  const file = join(dir, "plan.yaml");
  await writeFile(file, writeYaml(object));
  const options = { filename: [file], output, namespace: "default" };
  const code = await planOn(client, options, { terminal: said, stdin: () => Promise.resolve(""), signal });
  expect(said.stderr).toBe("");
  return { code, text: said.stdout.replaceAll(`${dir}/`, "") };
}

async function document(object: KubeObject): Promise<PlanDocument> {
  return JSON.parse((await planned(object, "json")).text) as PlanDocument;
}

describe("attune plan with a ScyllaNodeConfig", () => {
  it("names the command that adds the kind to a cluster without it", async () => {
    const { code, text } = await planned(config("x"), "table");
    expect(code).toBe(0);
    expect(text.split("\n").map((line) => line.replaceAll(/ +/g, " "))).toContain(
      "warning ScyllaNodeConfig x the cluster has no such kind: attune install --scylla adds it",
    );
  });

  it("shows the DaemonSet, nodes and databases", async () => {
    await addKinds(scyllaCrds);
    await client.create(kinds.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: tuningNamespace } });
    await client.create(scyllaOperatorConfigKind, {
      apiVersion,
      kind: "ScyllaOperatorConfig",
      metadata: { name: "cluster" },
      spec: { scyllaUtilsImage: "scylladb/scylla:2025.1.5" },
    });
    const labels = { "scylla-operator.scylladb.com/pod-type": "scylladb-node" };
    const resources = { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "1", memory: "1Gi" } };
    await client.create(kinds.pod, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "scylla-0", namespace: "default", labels },
      spec: { nodeName: "n1", containers: [{ name: "scylla", image: "scylla", resources }] },
    });

    const { code, text } = await planned(config("x"), "table");
    expect(code).toBe(2);
    const lines = text.split("\n");
    expect(lines).toContain("+ ScyllaNodeConfig x would be created (plan.yaml)");
    expect(lines).toContain(
      `+ DaemonSet ${tuningNamespace}/scylla-agent-x would be created by the operator (derived from ScyllaNodeConfig x)`,
    );
    expect(lines).toContain("Nodes n1, n2, n3 and 2 more: an agent of ScyllaNodeConfig x comes");
    expect(lines).toContain("Database default/scylla-0: tuned for, by ScyllaNodeConfig x");
    expect(lines).toContain(
      "Plan: 1 to create, 0 to change, 1 by the operator; then 5 of 5 nodes change; none reboots. Nothing has been changed.",
    );
    const { scylla } = await document(config("x"));
    expect(scylla).toEqual({
      agents: [{ nodes: ["n1", "n2", "n3", "n4", "n5"], after: "x" }],
      databases: [{ pods: ["default/scylla-0"], becomes: "tuned", config: "x" }],
    });
    expect((await client.list(scyllaNodeConfigKind)).items).toEqual([]);
  });

  it("shows that a disabled one takes its agents away, and that the same one changes nothing", async () => {
    await client.create(scyllaNodeConfigKind, config("x"));
    const { objects, scylla } = await document(config("x", { disableOptimizations: true }));
    expect(objects.map(({ kind: of, change }) => [of, change])).toEqual([
      ["ScyllaNodeConfig", "change"],
      ["DaemonSet", "delete"],
    ]);
    expect(scylla?.agents).toEqual([{ nodes: ["n1", "n2", "n3", "n4", "n5"], before: "x" }]);
    expect(scylla?.databases).toMatchObject([{ becomes: "untuned" }]);
    const { code, text } = await planned(config("x"), "json");
    expect([code, (JSON.parse(text) as PlanDocument).scylla]).toEqual([0, undefined]);
  });
});
