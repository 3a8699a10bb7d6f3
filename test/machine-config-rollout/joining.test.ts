import { expect, test } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { apiVersion, performanceProfileKind } from "../../src/domain/performance-profile/api.ts";
import { RolloutCluster } from "./rollout-cluster.ts";

test("the first node of a pool, which gets its label when the PerformanceProfile is there, restarts once", async () => {
  const cluster = await RolloutCluster.start({ nodes: { worker: ["a"] } });
  await cluster.createPool("fast");
  cluster.startOperator();
  await cluster.until("the agent", async () => (await cluster.agents()) === 1);
  await cluster.admin.create(performanceProfileKind, {
    apiVersion,
    kind: "PerformanceProfile",
    metadata: { name: "fast" },
    spec: {
      cpu: { reserved: "0", isolated: "1-3" },
      additionalKernelArgs: ["audit=0"],
      nodeSelector: { "node-role.kubernetes.io/fast": "" },
      machineConfigPoolSelector: { "pools.operator.machineconfiguration.openshift.io/fast": "" },
    },
  });
  await cluster.updated("fast", ["50-performance-fast", "99-fast-generated-kubelet"]);

  const labels = { "node-role.kubernetes.io/fast": "" };
  await cluster.admin.patch(kinds.node, "a", { type: "merge", patch: { metadata: { labels } } });
  await cluster.updated("fast", ["50-nto-fast", "50-performance-fast", "99-fast-generated-kubelet"]);
  expect(await cluster.text("a", "/proc/cmdline")).toMatch(/ nohz_full=1-3 .* audit=0/);
  expect(cluster.reboots()).toEqual({ a: 1 });
});
