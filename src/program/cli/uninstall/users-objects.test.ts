import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { loadConnection } from "../../../cluster/kube/connect/load-connection.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { tunedKind, tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { startServer } from "../../../embedded/apiserver/server.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { systemNamespace } from "../../operator/names.ts";
import { applyManifests } from "../install/apply-manifests.ts";
import { foundation, installManifests } from "../install/manifests.ts";
import { RecordingTerminal } from "../terminal/testing/recording-terminal.ts";
import { exampleTuned } from "../up/worked-example.ts";
import { uninstallFrom } from "./uninstall.ts";

async function installed(): Promise<HttpClient> {
  const dir = await mkdtemp(join(tmpdir(), "attune-uninstall-"));
  const server = await startServer({ dir, storage: "memory" });
  const client = new HttpClient(await loadConnection({ kubeconfig: server.kubeconfig }));
  onTestFinished(async () => {
    client.close();
    await server.close();
    await rm(dir, { recursive: true, force: true });
  });
  await applyManifests(client, foundation({ mode: "tuning" }));
  return client;
}

async function uninstall(client: HttpClient): Promise<string> {
  const options = { namespace: systemNamespace, dryRun: false, crds: false, timeout: 60_000, output: "text" } as const;
  const terminal = new RecordingTerminal();
  await uninstallFrom(client, options, { terminal, signal: new AbortController().signal });
  return terminal.stdout;
}

it("keeps a Tuned of users that they labelled as part of Attune", async () => {
  const client = await installed();
  const { metadata, ...tuned } = exampleTuned();
  const labels = { "app.kubernetes.io/part-of": "attune" };
  await client.create(tunedKind, { ...tuned, metadata: { ...metadata, labels } });
  const name = `${tuningNamespace}/${metadata.name}`;
  expect(await uninstall(client)).toContain(`Namespace ${tuningNamespace} kept: it contains Tuned ${name}\n`);
  await client.get(tunedKind, metadata.name ?? "", { namespace: tuningNamespace });
});

it("is not kept from its work by a Deployment of the operator's name in a namespace of a user", async () => {
  const client = await installed();
  const isOperator = ({ kind, metadata }: KubeObject): boolean =>
    kind === "Deployment" && metadata.name === "attune-operator";
  await client.create(kinds.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: "theirs" } });
  for (const namespace of [systemNamespace, "theirs"])
    await applyManifests(client, installManifests({ namespace, mode: "tuning" }).filter(isOperator));
  expect(await uninstall(client)).toContain(`Namespace ${systemNamespace} deleted\n`);
  await client.get(kinds.deployment, "attune-operator", { namespace: "theirs" });
});
