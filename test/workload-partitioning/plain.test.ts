import { expect, test } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { machineConfigKind, machineConfigPoolKind } from "../../src/domain/machine-config/api.ts";
import { bootstrapMachineConfig } from "../../src/domain/workload-partitioning/bootstrap-machine-config.ts";
import { smallMachine } from "../../src/embedded/lab/machine-base.ts";
import { findCondition } from "../../src/language/object/condition.ts";
import { createMissing } from "../../src/program/cli/up/cluster-access.ts";
import { cores, PartitionedCluster, profile } from "./partitioned-cluster.ts";

const isLong = Boolean(process.env["ATTUNE_LONG"]);
if (!isLong) console.log("not run: a kubelet that sets cores to 0 (only with ATTUNE_LONG)");

test("on a plain cluster agents add the cores of nodes with CRI-O, again when a kubelet has set them to 0, and containerd is refused with a reason", async () => {
  const crio = { ...smallMachine, runtime: "cri-o" } as const;
  const cluster = await PartitionedCluster.start({
    mode: "plain",
    status: { cpuPartitioning: "AllNodes" },
    machines: [
      { name: "crio", roles: ["worker"], topology: crio },
      { name: "containerd", roles: ["worker"], topology: smallMachine },
    ],
    manifests: [profile("worker", { reserved: "0", isolated: "1-3" })],
  });
  const { admin } = cluster;
  await createMissing(admin, machineConfigKind, bootstrapMachineConfig("worker"));
  await cluster.updated(
    "worker",
    (sources) => sources.includes("01-worker-cpu-partitioning") && sources.some((name) => name.startsWith("50-")),
  );
  await cluster.hasCores("crio", "4k");

  const pod = await cluster.run("managed");
  expect(pod.spec).toMatchObject({ nodeName: "crio", containers: [{ resources: { requests: { [cores]: "100" } } }] });
  expect(await cluster.group(pod)).toBe("0");

  if (isLong) await resetByKubelet(cluster);

  const reason = "CPU partitioning is refused: it needs CRI-O, and this node runs containerd";
  await cluster.until("the pool says why", async () => {
    const { status } = await admin.get(machineConfigPoolKind, "worker");
    return findCondition(status?.conditions, "NodeFindings")?.message?.includes(reason);
  });
  const refused = await cluster.node("containerd");
  expect(refused?.metadata.annotations?.["rollout.attune.dev/findings"]).toContain(reason);
  expect(refused?.status?.capacity?.[cores]).toBeUndefined();
}, 300_000);

async function resetByKubelet(cluster: PartitionedCluster): Promise<void> {
  // No device plugin has registered: the kubelet takes the node for a new one.
  const seen: (string | undefined)[] = [];
  const stop = new AbortController();
  const watching = (async () => {
    for await (const { object } of cluster.admin.watch(kinds.node, {
      fieldSelector: "metadata.name=crio",
      sendInitialEvents: true,
      resourceVersion: "",
      signal: stop.signal,
    }))
      seen.push(((object as { status?: { capacity?: Record<string, string> } }).status?.capacity ?? {})[cores]);
  })().catch(() => {});
  await cluster.machine("crio").host.run(["systemctl", "restart", "kubelet"]);
  await cluster.until(
    "the kubelet has reset the cores, and the agent has restored them",
    async () => seen.includes("0") && seen.at(-1) === "4k",
  );
  stop.abort();
  await watching;
  await cluster.hasCores("crio", "4k");
}
