import { expect, test } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import {
  apiVersion,
  type PerformanceProfile,
  type PerformanceProfileSpec,
  performanceProfileKind,
} from "../../src/domain/performance-profile/api.ts";
import { isTrue } from "../../src/language/object/condition.ts";
import { smallMachine } from "../../src/embedded/lab/machine-base.ts";
import { emptyServers } from "../servers/server-under-test.ts";
import { RolloutCluster } from "./rollout-cluster.ts";

function profile(cpu: NonNullable<PerformanceProfileSpec["cpu"]>): PerformanceProfile {
  return {
    apiVersion,
    kind: "PerformanceProfile",
    metadata: { name: "fast" },
    spec: {
      cpu,
      hugepages: { defaultHugepagesSize: "2M", pages: [{ size: "2M", count: 64, node: 1 }] },
      // The Tuned that is derived yields boot arguments of its own.
      additionalKernelArgs: ["audit=0"],
      nodeSelector: { "node-role.kubernetes.io/fast": "" },
      machineConfigPoolSelector: { "pools.operator.machineconfiguration.openshift.io/fast": "" },
    },
  };
}

test.each(emptyServers())(
  "a PerformanceProfile reaches its final state with one reboot, an edit resizes with one more, and deleting it gives the node back, on the $name server",
  async ({ start }) => {
    const topology = { ...smallMachine, cpus: 8, sockets: 2 };
    const cluster = await RolloutCluster.start({ nodes: { fast: ["a", "b"] }, topology, start });
    await cluster.createPool("fast", { maxUnavailable: 2 });
    cluster.startOperator();
    await cluster.until("agents", async () => (await cluster.agents()) === 2);
    const before = await cluster.text("a", "/proc/cmdline");

    await cluster.admin.create(performanceProfileKind, profile({ reserved: "0-1", isolated: "2-5", offlined: "6-7" }));
    await settled(cluster, "0-1");
    for (const name of ["a", "b"]) {
      expect(await cluster.text(name, "/proc/cmdline")).toMatch(/ nohz_full=2-5 .* audit=0/);
      expect(await cluster.text(name, "/sys/devices/system/cpu/nohz_full")).toBe("2-5\n");
      const pages = "/sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages";
      expect(await cluster.text(name, pages)).toBe("64\n");
      const { status } = await cluster.admin.get(kinds.node, name);
      expect(status?.allocatable).toMatchObject({ cpu: "4", "hugepages-2Mi": "128Mi" });
    }
    expect(cluster.reboots()).toEqual({ a: 1, b: 1 });

    // CPUs that are offline until the boot: cpu-partitioning would refuse to isolate 6, and 7 is in no pool any more.
    const patch = { spec: { cpu: { reserved: "0-3", isolated: "4-6", offlined: null } } };
    await cluster.admin.patch(performanceProfileKind, "fast", { type: "merge", patch });
    await settled(cluster, "0-3");
    expect(await cluster.text("a", "/sys/devices/system/cpu/nohz_full")).toBe("4-6\n");
    expect(await cluster.text("a", "/proc/cmdline")).toContain(" systemd.cpu_affinity=0,1,2,3,7 ");
    expect((await cluster.admin.get(kinds.node, "a")).status?.allocatable?.["cpu"]).toBe("4");
    expect(cluster.reboots()).toEqual({ a: 2, b: 2 });

    await cluster.admin.delete(performanceProfileKind, "fast");
    await cluster.until("the nodes are given back", async () => (await cluster.text("a", "/proc/cmdline")) === before);
    await cluster.until("all CPUs are offered", async () => {
      const { status } = await cluster.admin.get(kinds.node, "a");
      return status?.allocatable?.["cpu"] === "8";
    });
    expect(await cluster.text("a", "/usr/local/bin/hugepages-allocation.sh")).toBeUndefined();
  },
  240_000,
);

/** Until the profile says so, and the kubelets have these CPUs for the system. */
async function settled(cluster: RolloutCluster, reserved: string): Promise<void> {
  await cluster.until(`the profile is available with ${reserved}`, async () => {
    const { status } = await cluster.admin.get(performanceProfileKind, "fast");
    const conditions = (status as { conditions?: Parameters<typeof isTrue>[0] } | undefined)?.conditions;
    const { spec, status: pool } = await cluster.pool("fast");
    const isUpdated = isTrue(pool?.conditions, "Updated") && pool?.configuration?.name === spec?.configuration?.name;
    const files = await Promise.all(["a", "b"].map((name) => cluster.kubeletConfiguration(name)));
    return (
      isTrue(conditions, "Available") &&
      isUpdated &&
      files.every((text) => text.includes(`"${reserved}"`) || text.includes(reserved))
    );
  });
}
