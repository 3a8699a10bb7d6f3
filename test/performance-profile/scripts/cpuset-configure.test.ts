import { expect, test } from "vitest";
import { cpusetConfigure as script } from "../../../src/domain/performance-profile/machine-config/scripts/cpuset-configure.ts";
import { onEachShell } from "./on-each-shell.ts";

const root = "/sys/fs/cgroup/cpuset";
const firstVersion = {
  [`${root}/cpuset.cpus`]: "0-7\n",
  [`${root}/cpuset.mems`]: "0-1\n",
  [`${root}/cpuset.sched_load_balance`]: "1\n",
  [`${root}/cgroup.procs`]: "1\n2\n845\n",
  "/proc/1/status": "Name:\tsystemd\nCpus_allowed:\t03\nCpus_allowed_list:\t0-1\nMems_allowed_list:\t0-1\n",
};

onEachShell("dividing CPUs among control groups", (makeNode) => {
  test("does nothing with cgroup v2", () => {
    const node = makeNode({ "/sys/fs/cgroup/cgroup.controllers": "cpuset cpu\n" });
    expect(node.run(script)).toMatchObject({ code: 0, err: "" });
    expect(node.read(`${root}/cpuset.sched_load_balance`)).toBeUndefined();
  });

  test("restricts the system to the CPUs of process 1, and lets Open vSwitch run anywhere", () => {
    const node = makeNode({
      ...firstVersion,
      [`${root}/machine.slice/cpuset.cpus`]: "0-7\n",
      [`${root}/machine.slice/libpod.scope/cpuset.cpus`]: "0-7\n",
      [`${root}/machine.slice/libpod.scope/deep/cpuset.cpus`]: "4\n",
      "/sys/fs/cgroup/pids/ovs.slice/ovs-vswitchd.service/cgroup.procs": "71\n72\n",
      "/sys/fs/cgroup/pids/ovs.slice/ovsdb-server.service/cgroup.procs": "80\n",
    });
    for (const _ of ["once", "twice"]) {
      expect(node.run(script)).toEqual({ code: 0, out: "", err: "" });
      expect(node.read(`${root}/cpuset.sched_load_balance`)).toBe("0");
      expect(node.read(`${root}/system.slice/cpuset.cpus`)).toBe("0-1");
      expect(node.read(`${root}/system.slice/cpuset.mems`)).toBe("0-1");
      // The file has only the last process; the kernel would move each one.
      expect(node.read(`${root}/system.slice/cgroup.procs`)).toBe("845");
      for (const group of ["", "/libpod.scope", "/libpod.scope/deep"])
        expect(node.read(`${root}/machine.slice${group}/cpuset.cpus`)).toBe("0-1");
      expect(node.read(`${root}/ovs.slice/cpuset.cpus`)).toBe("0-7");
      expect(node.read(`${root}/ovs.slice/cpuset.mems`)).toBe("0-1");
      expect(node.read(`${root}/ovs.slice/cpuset.sched_load_balance`)).toBe("0");
      expect(node.read(`${root}/ovs.slice/cgroup.procs`)).toBe("80");
    }
  });

  test("works without machines and without Open vSwitch", () => {
    const node = makeNode(firstVersion);
    expect(node.run(script)).toEqual({ code: 0, out: "", err: "" });
    expect(node.read(`${root}/machine.slice/cpuset.mems`)).toBe("0-1");
    expect(node.read(`${root}/ovs.slice/cgroup.procs`)).toBeUndefined();
  });

  test("skips processes that cannot be moved", () => {
    const node = makeNode({ ...firstVersion, [`${root}/system.slice/cgroup.procs`]: "" });
    node.refuse(`${root}/system.slice/cgroup.procs`);
    expect(node.run(script)).toEqual({ code: 0, out: "", err: "" });
  });

  test("names the cgroup below machines that keeps its CPUs", () => {
    const node = makeNode({ ...firstVersion, [`${root}/machine.slice/a/cpuset.cpus`]: "7\n" });
    node.refuse(`${root}/machine.slice/a/cpuset.cpus`);
    const { code, err } = node.run(script);
    expect(code).toBe(0);
    expect(err).toBe(`${node.at(`${root}/machine.slice/a/cpuset.cpus`)} stays as it is\n`);
  });

  test.each(["/proc/1/status", `${root}/cpuset.cpus`, `${root}/cpuset.mems`])(
    "changes nothing without %s",
    (missing) => {
      const node = makeNode(Object.fromEntries(Object.entries(firstVersion).filter(([path]) => path !== missing)));
      expect(node.run(script).code).not.toBe(0);
      expect(node.read(`${root}/cpuset.sched_load_balance`)).toBe("1");
      expect(node.read(`${root}/system.slice/cpuset.mems`)).toBeUndefined();
    },
  );
});
