import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { loadConnection } from "../../../cluster/kube/connect/load-connection.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { annotations, ownAnnotations } from "../../../domain/rollout/node-annotations.ts";
import { conflictCondition } from "../../../domain/rollout/rollout-node.ts";
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

it("removes what rollouts left on nodes, and leaves what other clients wrote", { timeout: 120_000 }, async () => {
  const { client, run } = await installed();
  const mine = { key: "mine", effect: "NoSchedule" };
  await client.create(kinds.node, {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name: "ours",
      annotations: {
        [ownAnnotations.cordonedFor]: "rendered-worker-1",
        "rollout.attune.dev/any": "x",
        [annotations.desiredConfig]: "rendered-worker-1",
        [annotations.state]: "Degraded",
        [annotations.desiredImage]: "example.com/os",
        "example.com/own": "x",
      },
    },
    spec: { unschedulable: true, taints: [mine, { key: "UpdateInProgress", effect: "PreferNoSchedule" }] },
  });
  const conditions = [conflictCondition, "Ready"].map((type) => ({ type, status: "True" }));
  await client.patch(
    kinds.node,
    "ours",
    { type: "merge", patch: { status: { conditions } } },
    { subresource: "status" },
  );
  await client.create(kinds.node, {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "theirs" },
    spec: { unschedulable: true },
  });
  await client.delete(kinds.pod, pod.name, pod);
  const { code, stderr } = await run.ended;
  expect([code, stderr]).toEqual([0, ""]);
  const { items } = await client.list(kinds.node);
  expect(
    items.map(({ metadata, spec, status }) => [
      metadata.name,
      metadata.annotations,
      spec?.taints?.filter(({ key }) => !key?.startsWith("node.kubernetes.io/")),
      spec?.unschedulable,
      status?.conditions?.map(({ type }) => type),
    ]),
  ).toEqual([
    ["ours", { [annotations.desiredImage]: "example.com/os", "example.com/own": "x" }, [mine], undefined, ["Ready"]],
    ["theirs", undefined, [], true, undefined],
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
