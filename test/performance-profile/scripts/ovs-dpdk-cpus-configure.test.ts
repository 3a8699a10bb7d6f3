import { expect, test } from "vitest";
import { ovsDpdkCpusConfigure } from "../../../src/domain/performance-profile/machine-config/scripts/ovs-dpdk-cpus-configure.ts";
import { onEachShell } from "./on-each-shell.ts";

const slice = "/sys/fs/cgroup/ovs.slice";
const service = `${slice}/ovs-vswitchd.service`;
const threads = `${service}/ovsdpdk.slice`;
const running = { [`${service}/cgroup.procs`]: "71\n" };

onEachShell("giving OVS-DPDK CPUs", (makeNode) => {
  test.each(["member", "isolated"] as const)("makes a threaded cgroup that is %s, and is idempotent", (partition) => {
    const node = makeNode(running);
    for (const _ of ["once", "twice"]) {
      expect(node.run(ovsDpdkCpusConfigure([2, 3, 8], partition))).toEqual({ code: 0, out: "", err: "" });
      expect(node.read(`${service}/cgroup.subtree_control`)).toBe("+cpuset +cpu +pids");
      expect(node.read(`${threads}/cgroup.type`)).toBe("threaded");
      for (const group of [slice, service, threads]) expect(node.read(`${group}/cpuset.cpus.exclusive`)).toBe("2-3,8");
      expect(node.read(`${threads}/cpuset.cpus.partition`)).toBe(partition);
    }
  });

  test("does nothing without CPUs", () => {
    const node = makeNode(running);
    expect(node.run(ovsDpdkCpusConfigure([], "member"))).toMatchObject({ code: 0, err: "" });
    expect(node.read(`${service}/cgroup.subtree_control`)).toBeUndefined();
  });

  test.each([
    ["Open vSwitch does not run", {}, 1],
    ["its switch does not run", { [`${slice}/cgroup.procs`]: "" }, 2],
  ])("fails when %s", (_, files, code) => {
    const node = makeNode(files);
    expect(node.run(ovsDpdkCpusConfigure([2], "member"))).toMatchObject({
      code,
      err: expect.stringContaining("does not exist"),
    });
    expect(node.read(`${slice}/cpuset.cpus.exclusive`)).toBeUndefined();
  });

  test("reports an invalid partition", () => {
    const node = makeNode(running);
    node.program("cat", "echo 'isolated invalid (Cpu list in cpuset.cpus not exclusive)'");
    expect(node.run(ovsDpdkCpusConfigure([2], "isolated"))).toMatchObject({
      code: 3,
      err: expect.stringContaining("isolated invalid (Cpu list in cpuset.cpus not exclusive)"),
    });
  });
});
