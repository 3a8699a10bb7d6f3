import { describe, expect, it } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { machineConfigKind, roleLabel } from "../../src/domain/machine-config/api.ts";
import { performanceProfileKind } from "../../src/domain/performance-profile/api.ts";
import { infrastructureKind } from "../../src/domain/workload-partitioning/identifier.ts";
import { crioPinning, kubeletPinning, pinningPaths } from "../../src/domain/workload-partitioning/pinning-files.ts";
import { smallMachine } from "../../src/embedded/lab/machine-base.ts";
import type { Topology } from "../../src/embedded/lab/topology.ts";
import { ignitionConfig } from "../../src/language/ignition/config.ts";
import { textFile } from "../../src/language/ignition/file-contents.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { type MachineOptions, PartitionedCluster, profile } from "./partitioned-cluster.ts";
import { daemonSets, havePinned, type Pinned } from "./pinned-pods.ts";

const isLong = Boolean(process.env["ATTUNE_LONG"]);
if (!isLong) console.log("not run: partitioned clusters of several nodes (only with ATTUNE_LONG)");

const openshift: Topology = { ...smallMachine, runtime: "cri-o", kubelet: "openshift" };
const controlPlane = ["master", "control-plane"];

function machines(names: readonly string[], roles: readonly string[], cpus = 4): MachineOptions[] {
  return names.map((name) => ({ name, roles, topology: { ...openshift, cpus } }));
}

const onEach = (nodes: readonly string[], pinned: Pinned): Record<string, Pinned> =>
  Object.fromEntries(nodes.map((node) => [node, pinned]));
const reboots = ({ machines: all }: PartitionedCluster): number[] => [...all.values()].map((one) => one.reboots);

/**
 * Until nodes that had the files of a profile from their first boot have its boot arguments, with a second one: those of a new
 * pool are known when its first nodes have reported them.
 */
async function withBootArguments(cluster: PartitionedCluster, pool: string): Promise<void> {
  await cluster.updated(pool, (sources) => sources.includes(`50-nto-${pool}`));
}

/** Until the pool has the config that comes of a change, on all of its nodes. */
async function changed(cluster: PartitionedCluster, pool: string, change: () => Promise<unknown>): Promise<void> {
  const nameOf = async (): Promise<string | undefined> =>
    (await cluster.updated(pool, () => true)).status?.configuration?.name;
  const before = await nameOf();
  await change();
  await cluster.until(`pool ${pool} has another config`, async () => (await nameOf()) !== before);
}

describe("a partitioned cluster", { timeout: 600_000 }, () => {
  it("of one node pins pods of the platform to the reserved CPUs, and keeps others off, from its first boot", async () => {
    const cluster = await PartitionedCluster.start({
      mode: "standalone",
      status: { cpuPartitioning: "AllNodes", controlPlaneTopology: "SingleReplica" },
      machines: machines(["single"], [...controlPlane, "worker"]),
      manifests: [profile("control-plane", { reserved: "0-1", isolated: "2-3" }), ...daemonSets],
    });
    await cluster.hasCores("single", "4k");
    await havePinned(cluster, { single: ["0-1", "2-3"] });
    await withBootArguments(cluster, "master");
    expect(reboots(cluster)).toEqual([2]);
  });

  it.runIf(isLong)(
    "of three masters and two workers has all CPUs, then two reserved sets, then a larger one",
    async () => {
      const [masters, workers] = [
        ["m1", "m2", "m3"],
        ["w1", "w2"],
      ] as const;
      const cluster = await PartitionedCluster.start({
        mode: "standalone",
        status: { cpuPartitioning: "AllNodes", controlPlaneTopology: "HighlyAvailable" },
        machines: [...machines(masters, controlPlane), ...machines(workers, ["worker"], 2)],
        manifests: daemonSets,
      });
      const { admin } = cluster;
      for (const name of masters) await cluster.hasCores(name, "4k");
      for (const name of workers) await cluster.hasCores(name, "2k");
      await havePinned(cluster, onEach([...masters, ...workers], ["", ""]));
      expect(reboots(cluster)).toEqual([1, 1, 1, 1, 1]);

      await changed(cluster, "master", async () =>
        changed(cluster, "worker", async () => {
          await admin.create(performanceProfileKind, profile("control-plane", { reserved: "0-1", isolated: "2-3" }));
          await admin.create(performanceProfileKind, profile("worker", { reserved: "0", isolated: "1" }));
        }),
      );
      await havePinned(cluster, { ...onEach(masters, ["0-1", "2-3"]), ...onEach(workers, ["0", "1"]) });
      expect(reboots(cluster)).toEqual([2, 2, 2, 2, 2]);

      const patch = { spec: { cpu: { reserved: "0-2", isolated: "3" } } };
      await changed(cluster, "master", () =>
        admin.patch(performanceProfileKind, "for-control-plane", { type: "merge", patch }),
      );
      await havePinned(cluster, { ...onEach(masters, ["0-2", "3"]), ...onEach(workers, ["0", "1"]) });
      expect(reboots(cluster)).toEqual([3, 3, 3, 2, 2]);
      for (const name of workers) await cluster.hasCores(name, "2k");
    },
  );

  it.runIf(isLong)(
    "of three nodes that are masters and workers follows one profile, and stays partitioned without it",
    async () => {
      const names = ["c1", "c2", "c3"];
      const cluster = await PartitionedCluster.start({
        mode: "standalone",
        status: { cpuPartitioning: "AllNodes", controlPlaneTopology: "HighlyAvailable" },
        machines: machines(names, [...controlPlane, "worker"]),
        manifests: [profile("control-plane", { reserved: "0,2", isolated: "1,3" }), ...daemonSets],
      });
      for (const name of names) await cluster.hasCores(name, "4k");
      await havePinned(cluster, onEach(names, ["0,2", "1,3"]));
      await withBootArguments(cluster, "master");
      expect(reboots(cluster)).toEqual([2, 2, 2]);
      await changed(cluster, "master", () => cluster.admin.delete(performanceProfileKind, "for-control-plane"));
      await havePinned(cluster, onEach(names, ["", ""]));
      expect(reboots(cluster)).toEqual([3, 3, 3]);
      for (const name of names) await cluster.hasCores(name, "4k");
    },
  );

  it.runIf(isLong)(
    "refuses a node whose kubelet started without its file, and takes it once the kubelet has seen one",
    async () => {
      const [late] = machines(["late"], ["worker"], 2);
      const cluster = await PartitionedCluster.start({
        mode: "standalone",
        status: { cpuPartitioning: "AllNodes", controlPlaneTopology: "HighlyAvailable" },
        machines: [...machines(["m1"], controlPlane), { ...late!, firstBoot: false }],
        manifests: [profile("worker", { reserved: "0", isolated: "1" }), ...daemonSets],
      });
      const { host } = cluster.machine("late");
      const refusals = (): number =>
        cluster.errors.filter((text) => text.includes(`"late" is invalid`) && text.includes(pinningPaths.kubelet))
          .length;
      await cluster.until("the node is refused", async () => {
        // On a busy machine the API server may wait 2 s for the webhook in vain, and nodes then join.
        if (await cluster.node("late")) {
          await cluster.admin.delete(kinds.node, "late");
          await host.run(["systemctl", "restart", "kubelet"]);
        }
        return refusals() > 0;
      });
      // Its content is of no matter; that the kubelet starts after it is.
      await host.replace(pinningPaths.kubelet, "");
      const before = refusals();
      await cluster.until("the node is refused again", async () => refusals() > before);
      expect(await cluster.node("late")).toBeUndefined();
      await host.run(["systemctl", "restart", "kubelet"]);
      await cluster.hasCores("late", "2k");
      await havePinned(cluster, { m1: ["", ""], late: ["0", "1"] });
      expect(cluster.machine("late").reboots).toBe(1);
    },
  );

  it.runIf(isLong)(
    "of one node that was partitioned before the Infrastructure could say it becomes one without a reboot",
    async () => {
      const cluster = await PartitionedCluster.start({
        mode: "standalone",
        status: { cpuPartitioning: "None", controlPlaneTopology: "SingleReplica" },
        machines: machines(["single"], [...controlPlane, "worker"]),
        manifests: [ownPinning("0"), ...daemonSets],
      });
      await cluster.hasCores("single", "4k");
      // As an upgrade does.
      await cluster.restartOperator();
      await cluster.until("the Infrastructure says it", async () => {
        const { status } = await cluster.admin.get(infrastructureKind, "cluster");
        return (status as { cpuPartitioning?: string }).cpuPartitioning === "AllNodes";
      });
      await cluster.updated("master", (sources) => sources.includes("01-master-cpu-partitioning"));
      const pod = await cluster.run("managed");
      expect(await cluster.group(pod)).toBe("0");
      expect(reboots(cluster)).toEqual([1]);
    },
  );
});

/** As administrators wrote it before there was a mode. */
function ownPinning(cpus: string): KubeObject {
  const files = [
    textFile("/etc/crio/crio.conf.d/01-workload-partitioning", 0o644, crioPinning(cpus)),
    textFile(pinningPaths.kubelet, 0o644, kubeletPinning(cpus)),
  ];
  const { apiVersion, kind } = machineConfigKind;
  const metadata = { name: "02-master-workload-partitioning", labels: { [roleLabel]: "master" } };
  return { apiVersion, kind, metadata, spec: { config: ignitionConfig(files) } };
}
