import { expect, test } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { apiVersion, tunedKind, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { agentAnnotations } from "../../src/domain/rollout/node-annotations.ts";
import { startupTaint } from "../../src/domain/rollout/startup/startup-taint.ts";
import { type ClusterFeatures, tuningOnly } from "../../src/program/operator/cluster-features.ts";
import { createInformer } from "../../src/cluster/kube/informer/informer.ts";
import { file, RolloutCluster, withFiles } from "./rollout-cluster.ts";

const swappiness = "/proc/sys/vm/swappiness";

/** A Tuned for every node, as soon as the server has the kind. */
async function storeTuned(cluster: RolloutCluster): Promise<void> {
  const spec = {
    profile: [{ name: "calm", data: "[sysctl]\nvm.swappiness=7\n" }],
    recommend: [{ profile: "calm", priority: 1 }],
  };
  const namespace = tuningNamespace;
  const tuned = { apiVersion, kind: "Tuned", metadata: { name: "calm", namespace }, spec };
  await cluster.until("the Tuned is stored", () =>
    cluster.admin.create(tunedKind, tuned, { namespace }).catch(() => undefined),
  );
}

/** A cluster of one node that is tuned, and whether that node has the taint. */
async function tunedCluster(
  features?: ClusterFeatures,
): Promise<{ cluster: RolloutCluster; isTainted: () => Promise<boolean> }> {
  const cluster = await RolloutCluster.start({ nodes: { worker: ["a"] } });
  const { admin } = cluster;
  if (!features) await cluster.apply("50-base", "worker", withFiles(file("/etc/nmstate/openshift/a", "base")));
  cluster.startOperator(features);
  await storeTuned(cluster);
  if (!features) await cluster.updated("worker", ["50-base"]);
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

/** The node restarts while no agent starts, and its Node becomes unready and ready again. Returns what lets agents start. */
async function restartWithoutAgent(cluster: RolloutCluster): Promise<() => void> {
  let release = (): void => {};
  cluster.agentsMayStart = new Promise((resolve) => (release = resolve));
  const { bootId } = cluster.machine("a");
  cluster.machine("a").cutPower();
  await cluster.machine("a").powerOn();
  await cluster.until("the Node has the new boot", async () => {
    const { status } = await cluster.admin.get(kinds.node, "a");
    return status?.nodeInfo?.bootID !== bootId;
  });
  return release;
}

test("without machine configuration a restarted node has the taint until its agent has tuned it", async () => {
  const { cluster, isTainted } = await tunedCluster(tuningOnly);
  expect(await cluster.text("a", "/etc/systemd/system/attune-one-shot.service")).toBeUndefined();
  const release = await restartWithoutAgent(cluster);
  await cluster.until("the node is tainted", isTainted);
  expect(await cluster.text("a", swappiness)).toBe("60\n");
  release();
  await cluster.until("the taint is gone", async () => !(await isTainted()));
  expect(await cluster.text("a", swappiness)).toBe("7\n");
});

const besideAnother = { ...tuningOnly, machineConfigPools: true, machineConfigOperator: true };

test("beside a machine config operator the taint is removed that an operator in another mode has left", async () => {
  const { cluster, isTainted } = await tunedCluster(tuningOnly);
  const release = await restartWithoutAgent(cluster);
  await cluster.until("the node is tainted", isTainted);
  await cluster.stopOperator();
  cluster.startOperator(besideAnother);
  await cluster.until("the taint is gone", async () => !(await isTainted()));
  release();
});

/** Rendering a pool takes seconds. */
const isLong = process.env["ATTUNE_LONG"] !== undefined;
if (!isLong)
  console.log("not run: start-up taints after a change of modes, and without agents (only with ATTUNE_LONG)");

test.runIf(isLong)(
  "without machine configuration the taint is removed that a rollout has left, once the node is tuned",
  async () => {
    const { cluster, isTainted } = await tunedCluster();
    const release = await restartWithoutAgent(cluster);
    await cluster.until("the node is tainted", isTainted);
    await cluster.stopOperator();
    cluster.startOperator(tuningOnly);
    release();
    await cluster.until("the taint is gone", async () => !(await isTainted()));
  },
);

test("a node that joins with the taint keeps it until it is tuned, as with startup taints of node pools", async () => {
  const cluster = await RolloutCluster.start({ nodes: { worker: ["a"] }, taints: [startupTaint] });
  // What the node was like when the taint was gone.
  const seen: Promise<string | undefined>[] = [];
  cluster.onNode(({ object: { spec } }) => {
    if (!spec?.taints?.some(({ key }) => key === startupTaint.key)) seen.push(cluster.text("a", swappiness));
  });
  cluster.startOperator(tuningOnly);
  await storeTuned(cluster);
  await cluster.until("the taint is gone", async () => seen.length > 0);
  expect(await seen[0]).toBe("7\n");
});

test.each([
  ...(isLong ? [["pools are rolled out", undefined] as const] : []),
  ["there is no machine configuration", tuningOnly] as const,
])("a node that is no longer managed is not held back after a restart, where %s", async (_, features) => {
  const { cluster, isTainted } = await tunedCluster(features);
  const { admin } = cluster;
  const patch = { spec: { managementState: "Removed" } };
  await admin.patch(tunedKind, "default", { type: "merge", patch }, { namespace: tuningNamespace });
  await cluster.until("the node is given back", async () => (await cluster.text("a", swappiness)) === "60\n");
  await cluster.until("nothing says that it was tuned", async () => {
    const { metadata } = await admin.get(kinds.node, "a");
    return metadata.annotations?.[agentAnnotations.tunedBoot] === undefined;
  });
  const others: boolean[] = [];
  cluster.onNode(({ object: { spec } }) => {
    others.push(spec?.taints?.some(({ key }) => key === startupTaint.key) ?? false);
  });
  await restartWithoutAgent(cluster);
  await cluster.until("the Node was written", async () => others.length > 1);
  expect([others.includes(true), await isTainted()]).toEqual([false, false]);
});
