import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import type { Program, ProgramRun } from "../../src/embedded/lab/kubelet/container/program.ts";
import type { Node } from "../../src/embedded/lab/kubelet/node/node-object.ts";
import { machineBase, smallMachine } from "../../src/embedded/lab/machine-base.ts";
import { LabCluster, virtualNode } from "./lab-cluster.ts";

let cluster: LabCluster;
beforeAll(async () => {
  cluster = await LabCluster.start();
});
afterAll(async () => cluster?.close());

const ready = (node: Node): string | undefined => node.status?.conditions?.find(({ type }) => type === "Ready")?.status;

/** A program that runs until it is told to end, and the runs of it so far. */
function recorded(): { runs: ProgramRun[]; program: Program } {
  const runs: ProgramRun[] = [];
  const program: Program = (run) => {
    runs.push(run);
    return new Promise((resolve) => run.signal.addEventListener("abort", () => resolve(0), { once: true }));
  };
  return { runs, program };
}

const containers = [{ name: "main", image: "example.com/x:1", command: ["attune", "agent"] }];

describe("a virtual machine", () => {
  test("that is told to reboot ends its pods, makes its Node NotReady, and comes back with its disk and another boot id", async () => {
    const { runs, program } = recorded();
    const lab = cluster.kubelets(["reboots"], { program, bootMs: 1000 });
    const machine = lab.nodes.get("reboots")!;
    const before = await cluster.nodeThat("reboots", (node) => ready(node) === "True");
    await cluster.createPod({ name: "reboots", node: "reboots", containers });
    await cluster.createPod({ name: "other", node: "reboots" });
    await cluster.podThat("reboots", ({ status }) => status?.phase === "Running");
    await cluster.podThat("other", ({ status }) => status?.phase === "Running");
    const [process] = runs;
    await process?.host.replace("/etc/kept", "1");
    expect(await process?.host.run(["systemctl", "reboot"])).toMatchObject({ code: 0 });
    const down = await cluster.nodeThat("reboots", (node) => ready(node) === "False");
    expect(down.status?.conditions?.find(({ type }) => type === "Ready")?.message).toBe("node is shutting down");
    await cluster.eventually(async () => (machine.host.isOn ? undefined : true));
    await expect(process?.host.replace("/etc/late", "1")).rejects.toThrow("the machine is off");
    await cluster.clock.advance(1000);
    const after = await cluster.nodeThat("reboots", (node) => ready(node) === "True");
    expect(after.status?.nodeInfo?.bootID).not.toBe(before.status?.nodeInfo?.bootID);
    const pod = await cluster.podThat("reboots", ({ status }) => status?.containerStatuses?.[0]?.restartCount === 1);
    expect(pod.status?.containerStatuses?.[0]?.lastState?.terminated?.exitCode).toBe(137);
    await cluster.podThat("other", ({ status }) => status?.containerStatuses?.[0]?.restartCount === 1);
    expect(runs).toHaveLength(2);
    expect(await runs[1]?.host.read("/etc/kept")).toEqual({ type: "text", text: "1" });
    expect(await runs[1]?.host.read("/etc/late")).toEqual({ type: "missing" });
    expect(machine.reboots).toBe(1);
    const { items } = await cluster.admin.list(kinds.event, { namespace: "default" });
    expect(items.map(({ reason }) => reason)).toContain("Rebooted");
  });

  test("whose power is cut says nothing, and reports its new boot once it is on again", async () => {
    const { runs, program } = recorded();
    const lab = cluster.kubelets(["dark"], { program, bootMs: 0 });
    const machine = lab.nodes.get("dark")!;
    const before = await cluster.nodeThat("dark", (node) => ready(node) === "True");
    await cluster.createPod({ name: "dark", node: "dark", containers });
    await cluster.podThat("dark", ({ status }) => status?.phase === "Running");
    await runs[0]?.host.write("/etc/unsynced", "1");
    machine.cutPower();
    expect(runs[0]?.signal.aborted).toBe(true);
    expect(ready(await cluster.nodeThat("dark", () => true))).toBe("True");
    await machine.powerOn();
    await cluster.nodeThat("dark", (node) => node.status?.nodeInfo?.bootID !== before.status?.nodeInfo?.bootID);
    await cluster.podThat("dark", ({ status }) => status?.containerStatuses?.[0]?.restartCount === 1);
    expect(await runs[1]?.host.read("/etc/unsynced")).toEqual({ type: "missing" });
  });

  test("has a kubelet that offers what its configuration and its memory nodes leave", async () => {
    const topology = { ...smallMachine, sockets: 2 };
    const node = virtualNode("configured", { topology, base: machineBase(topology) });
    cluster.kubelets([node], { bootMs: 0 });
    await cluster.nodeThat("configured", (now) => ready(now) === "True");
    const configuration = [
      "cpuManagerPolicy: static",
      "reservedSystemCPUs: 0,2",
      "systemReserved: { memory: 512Mi }",
      "evictionHard: { memory.available: 100Mi }",
    ];
    await node.host.replace("/etc/kubernetes/kubelet.conf.d/99-own.conf", configuration.join("\n"));
    await node.host.replace("/etc/default/grub", 'GRUB_CMDLINE_LINUX="hugepagesz=1G hugepages=2"\n');
    await node.host.run(["update-grub"]);
    await node.host.run(["reboot"]);
    const { status } = await cluster.nodeThat("configured", (now) => now.status?.allocatable?.["cpu"] === "2");
    expect(status?.capacity).toMatchObject({ cpu: "4", memory: "8Gi", "hugepages-1Gi": "2Gi" });
    expect(status?.allocatable).toMatchObject({ memory: `${6 * 1024 - 612}Mi`, pods: "110" });

    await node.host.replace("/etc/default/grub", 'GRUB_CMDLINE_LINUX=""\n');
    await node.host.run(["update-grub"]);
    await node.host.run(["reboot"]);
    await cluster.nodeThat("configured", (now) => now.status?.allocatable?.["hugepages-1Gi"] === "0");
  });

  test("has a kubelet that does not start with the state of another CPU manager, until that file is removed", async () => {
    const node = virtualNode("static");
    cluster.kubelets([node], { bootMs: 0 });
    await cluster.nodeThat("static", (now) => ready(now) === "True");
    const restart = async (configuration: string): Promise<string> => {
      await node.host.replace("/etc/kubernetes/kubelet.conf.d/99-own.conf", configuration);
      const result = await node.host.run(["systemctl", "restart", "kubelet"]);
      return result.type === "exited" && result.code === 0
        ? (node.kubelet?.allocatable["cpu"] ?? "")
        : JSON.stringify(result);
    };
    expect(await restart("cpuManagerPolicy: static\n")).toContain("needs reserved CPUs");
    expect(await restart("cpuManagerPolicy: static\nreservedSystemCPUs: '0'\n")).toBe("3000m");
    expect(await restart("{}")).toContain("the state was written by static");
    await node.host.remove("/var/lib/kubelet/cpu_manager_state");
    expect(await restart("{}")).toBe("4000m");
  });
});
