import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { loadConnection } from "../../../cluster/kube/connect/load-connection.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { ownAnnotations } from "../../../domain/rollout/node-annotations.ts";
import { startServer } from "../../../embedded/apiserver/server.ts";
import { operatorLabels } from "../../operator/deployment.ts";
import { systemNamespace } from "../../operator/names.ts";
import { applyManifests } from "../install/apply-manifests.ts";
import { foundation } from "../install/manifests.ts";
import { Program } from "../testing/program.ts";

const pod = { name: "operator", namespace: systemNamespace };

/** What is installed, without programs, and a pod of the operator that does not end. */
async function installed() {
  const dir = await mkdtemp(join(tmpdir(), "attune-uninstall-"));
  const [attune, server] = await Promise.all([Program.build(), startServer({ dir, storage: "memory" })]);
  const client = new HttpClient(await loadConnection({ kubeconfig: server.kubeconfig }));
  onTestFinished(async () => {
    client.close();
    await attune.remove();
    await server.close();
    await rm(dir, { recursive: true, force: true });
  });
  await applyManifests(client, foundation({ mode: "tuning" }));
  await client.create(kinds.pod, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...pod, labels: operatorLabels },
    spec: {
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
      containers: [
        {
          name: "operator",
          image: "attune",
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
        },
      ],
    },
  });
  return { client, run: attune.start(["uninstall", "--kubeconfig", server.kubeconfig]) };
}

it("waits for the operator's pods, although nothing else keeps its process alive", { timeout: 120_000 }, async () => {
  const { client, run } = await installed();
  await run.printed(/ValidatingAdmissionPolicy attune-converted-profiles deleted/);
  // Takes longer than the first of its looks for pods.
  for (let request = 0; request < 20; request++) await client.get(kinds.pod, pod.name, pod);
  await client.delete(kinds.pod, pod.name, pod);
  const { code, stdout } = await run.ended;
  expect([code, stdout]).toEqual([0, expect.stringContaining(`Namespace ${systemNamespace} deleted`)]);
});

it("uncordons a node whose update it ends, and leaves the cordons of other clients", { timeout: 120_000 }, async () => {
  const { client, run } = await installed();
  const cordoned = (name: string, annotations: Record<string, string>): Promise<unknown> => {
    const spec = { unschedulable: true };
    return client.create(kinds.node, { apiVersion: "v1", kind: "Node", metadata: { name, annotations }, spec });
  };
  await cordoned("ours", { [ownAnnotations.cordonedFor]: "rendered-worker-1" });
  await cordoned("theirs", {});
  await client.delete(kinds.pod, pod.name, pod);
  await run.ended;
  const { items } = await client.list(kinds.node);
  expect(items.map(({ metadata, spec }) => [metadata.name, metadata.annotations, spec?.unschedulable])).toEqual([
    ["ours", undefined, undefined],
    ["theirs", undefined, true],
  ]);
});

it("says how to go on when it is interrupted", { timeout: 120_000 }, async () => {
  const { run } = await installed();
  await run.printed(/ValidatingAdmissionPolicy attune-converted-profiles deleted/);
  const { code, stderr } = await run.stop("SIGINT");
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^error: uninstall: interrupted: run the command again to continue; to keep Attune, /),
  ]);
});
