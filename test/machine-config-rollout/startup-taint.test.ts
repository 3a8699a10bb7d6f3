import { expect, test } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { apiVersion, tunedKind, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { startupTaint } from "../../src/domain/rollout/node-changes.ts";
import { createInformer } from "../../src/cluster/kube/informer/informer.ts";
import { file, RolloutCluster, withFiles } from "./rollout-cluster.ts";

const swappiness = "/proc/sys/vm/swappiness";

/** A cluster of one node that is tuned, and whether that node has the taint. */
async function tunedCluster(): Promise<{ cluster: RolloutCluster; isTainted: () => Promise<boolean> }> {
  const cluster = await RolloutCluster.start({ nodes: { worker: ["a"] } });
  const { admin } = cluster;
  await cluster.apply("50-base", "worker", withFiles(file("/etc/nmstate/openshift/a", "base")));
  cluster.startOperator();
  const spec = {
    profile: [{ name: "calm", data: "[sysctl]\nvm.swappiness=7\n" }],
    recommend: [{ profile: "calm", priority: 1 }],
  };
  const namespace = tuningNamespace;
  const tuned = { apiVersion, kind: "Tuned", metadata: { name: "calm", namespace }, spec };
  await cluster.until("the Tuned is stored", () =>
    admin.create(tunedKind, tuned, { namespace }).catch(() => undefined),
  );
  await cluster.updated("worker", ["50-base"]);
  await cluster.until("the node is tuned", async () => (await cluster.text("a", swappiness)) === "7\n");
  const isTainted = async (): Promise<boolean> =>
    ((await admin.get(kinds.node, "a")).spec?.taints ?? []).some(({ key }) => key === startupTaint.key);
  await cluster.until("its agent has said so", async () => !(await isTainted()));
  return { cluster, isTainted };
}

test("a pod that is created while a node restarts does not run before the node is tuned (node-tuning W-22)", async () => {
  const { cluster, isTainted } = await tunedCluster();
  const { admin } = cluster;
  // What the node was like when the pod began to run.
  const seen: Promise<string | undefined>[] = [];
  const stop = new AbortController();
  const pods = createInformer(admin, kinds.pod, { namespace: "default" });
  pods.subscribe(({ object }) => {
    if (object.status?.phase === "Running" && seen.length === 0) seen.push(cluster.text("a", swappiness));
  });
  const running = pods.run(stop.signal);
  cluster.machine("a").cutPower();
  // As a node controller does.
  const patch = { status: { conditions: [{ type: "Ready", status: "Unknown" }] } };
  await admin.patch(kinds.node, "a", { type: "strategic", patch }, { subresource: "status" });
  await cluster.until("the node is tainted", isTainted);
  const pod = { metadata: { name: "p", namespace: "default" }, spec: { containers: [{ name: "c", image: "i" }] } };
  await admin.create(kinds.pod, { apiVersion: "v1", kind: "Pod", ...pod }, { namespace: "default" });
  await cluster.machine("a").powerOn();
  await cluster.until("the pod runs", async () => seen.length > 0);
  expect(await seen[0]).toBe("7\n");
  await cluster.until("the taint is gone", async () => !(await isTainted()));
  stop.abort();
  await running;
});

test("a pod that was bound to a node before its power was cut starts on a tuned node, also without an agent", async () => {
  const { cluster, isTainted } = await tunedCluster();
  const { admin } = cluster;
  const pod = { metadata: { name: "p", namespace: "default" }, spec: { containers: [{ name: "c", image: "i" }] } };
  await admin.create(kinds.pod, { apiVersion: "v1", kind: "Pod", ...pod }, { namespace: "default" });
  const restarts = async (): Promise<number> =>
    (await admin.get(kinds.pod, "p", { namespace: "default" })).status?.containerStatuses?.[0]?.restartCount ?? -1;
  await cluster.until("the pod runs", async () => (await restarts()) === 0);

  let release = (): void => {};
  cluster.agentsMayStart = new Promise((resolve) => (release = resolve));
  cluster.machine("a").cutPower();
  await cluster.machine("a").powerOn();
  await cluster.until("the pod runs again", async () => (await restarts()) === 1);
  expect(await cluster.text("a", swappiness)).toBe("7\n");
  await cluster.until("no other pod gets there", isTainted);
  release();
  await cluster.until("the agent has said that the node is tuned", async () => !(await isTainted()));
});
