import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startServer, type ApiServer } from "../../../embedded/apiserver/server.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { loadConnection } from "../../../cluster/kube/connect/load-connection.ts";
import { labRbac } from "../../../embedded/lab/rbac.ts";
import { tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { systemNamespace } from "../../operator/names.ts";
import { applyManifests } from "./apply-manifests.ts";
import { removeForeignWebhooks } from "./foreign-webhooks.ts";
import { foundation } from "./manifests.ts";

let dir: string;
let server: ApiServer;
let client: HttpClient;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "attune-manifests-"));
  server = await startServer({ dir, storage: "memory" });
  client = new HttpClient(await loadConnection({ kubeconfig: server.kubeconfig }));
});
afterAll(async () => {
  await server.close();
  await rm(dir, { recursive: true, force: true });
});

const versionNow = async (): Promise<string> => (await client.list(kinds.namespace)).metadata.resourceVersion ?? "";

it("a second install changes nothing", async () => {
  const manifests = [...foundation({ mode: "standalone" }), ...labRbac(systemNamespace, { nodes: ["n"] })];
  await applyManifests(client, manifests);
  for (const name of [systemNamespace, tuningNamespace])
    expect((await client.get(kinds.namespace, name)).metadata.name).toBe(name);
  const before = await versionNow();
  // managedFields have a time in seconds: a write in the same second could not be noticed.
  const second = Math.floor(Date.now() / 1000);
  while (Math.floor(Date.now() / 1000) === second) await delay(50);
  await applyManifests(client, manifests);
  expect(await versionNow()).toBe(before);
});

it("an object of an unknown kind is refused by name", async () => {
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" } };
  await expect(applyManifests(client, [pod])).rejects.toThrow("apply Pod p: attune install has no such kind");
});

it("an install removes webhooks and rules that are not Attune's from its configuration, and keeps its own", async () => {
  await applyManifests(client, foundation());
  const webhook = (name: string, apiGroup: string, resource: string) => ({
    name,
    clientConfig: { url: "https://127.0.0.1:1/" },
    rules: [{ apiGroups: [apiGroup], apiVersions: ["*"], resources: [resource], operations: ["CREATE"] }],
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
  });
  const webhooks = [
    webhook("tuneds.attune.dev", "tuned.openshift.io", "tuneds"),
    webhook("performanceprofiles.attune.dev", "*", "*"),
    webhook("evil.example.com", "", "secrets"),
    webhook("nodes-partitioned.attune.dev", "", "nodes"),
    webhook("scyllaconfigs.attune.dev", "scylla.scylladb.com", "secrets"),
  ];
  const ref = kinds.validatingWebhookConfiguration;
  await client.patch(ref, "attune-webhook", { type: "merge", patch: { webhooks } });
  const removed = ["performanceprofiles.attune.dev", "evil.example.com", "scyllaconfigs.attune.dev"];
  expect(await removeForeignWebhooks(client, { dryRun: true })).toEqual(removed);
  expect(await removeForeignWebhooks(client)).toEqual(removed);
  expect((await client.get(ref, "attune-webhook")).webhooks?.map(({ name }) => name)).toEqual([
    "tuneds.attune.dev",
    "nodes-partitioned.attune.dev",
  ]);
  expect(await removeForeignWebhooks(client)).toEqual([]);
});
