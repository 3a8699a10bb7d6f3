import { describe, expect, it } from "vitest";
import { nativeEngine } from "../../native-engine.ts";
import { schedulerProfile, TaskNode, type Thread, reasons } from "../../testing/scheduler-node.ts";
import { scheduler } from "./scheduler.ts";

const engine = nativeEngine([scheduler]);

function cpusOf(threads: readonly Thread[]): Record<string, string> {
  return Object.fromEntries(threads.map(({ comm, cpus = "0-7" }) => [comm, cpus]));
}

function policiesOf(threads: readonly Thread[]): Record<string, string> {
  return Object.fromEntries(threads.map(({ comm, policy = "o 0" }) => [comm, policy]));
}

describe("Isolated CPUs", () => {
  const isolate = schedulerProfile("isolated_cores=2-7");

  it("are left by every task, and each has its own CPUs back after a roll-back", async () => {
    const threads: Thread[] = [
      { tid: 1, comm: "systemd" },
      { tid: 20, comm: "pinned", cpus: "1,4" },
      { tid: 30, comm: "inside", cpus: "5-6" },
      { tid: 40, comm: "outside", cpus: "0", threads: 2 },
      { tid: 41, pid: 40, comm: "its (odd) thread" },
      { tid: 50, comm: "kthreadd", kind: "kernel" },
      { tid: 60, comm: "migration/3", kind: "bound", cpus: "3" },
      { tid: 70, comm: "zombie", state: "Z" },
    ];
    const before = cpusOf(threads);
    const host = new TaskNode(threads);
    const report = await engine.apply(isolate, host);
    expect(cpusOf(threads)).toEqual({
      systemd: "0-1",
      pinned: "1",
      inside: "0-1",
      outside: "0",
      "its (odd) thread": "0-1",
      kthreadd: "0-1",
      "migration/3": "3",
      zombie: "0-7",
    });
    expect(reasons(report)).toEqual(["isolated_cores: 1 task is left alone: bound to its CPUs by the kernel"]);
    expect((await engine.verify(isolate, host)).differences).toEqual([]);
    await engine.rollback(host);
    expect(cpusOf(threads)).toEqual(before);
  });

  it.each<{ name: string; options: string[]; moved: string[]; cgroup?: string }>([
    {
      name: "may be used by a process on the black list, with all its threads",
      options: ["ps_blacklist=^qemu;^vhost"],
      moved: ["sshd", "pmd\\;1", "kubelet", "kworker", "worker of kubelet"],
    },
    { name: "are only left by tasks on the white list", options: ["ps_whitelist=^k"], moved: ["kubelet", "kworker"] },
    { name: "may be used by names with a semicolon", options: ["ps_blacklist=pmd\\\\\\;1;q;k"], moved: ["sshd"] },
    {
      name: "are left by user space alone",
      options: ["kthread_process=0"],
      moved: ["sshd", "pmd\\;1", "kubelet", "qemu-kvm", "CPU 0/KVM", "worker of kubelet"],
    },
    {
      name: "may be used by tasks of some control groups",
      options: ["cgroup_ps_blacklist=/kubepods\\.slice/", "ps_blacklist=[;"],
      moved: [],
    },
    {
      name: "may be used by tasks in pods",
      options: ["cgroup_ps_blacklist=/kubepods\\.slice/"],
      moved: ["sshd", "pmd\\;1", "kubelet", "kworker", "worker of kubelet"],
    },
    ...[
      "0::/kubepods/burstable/pod1/x",
      "4:cpuset:/kubepods/pod1\n0::/",
      "0::/kubelet.slice/kubelet-kubepods.slice/x",
    ].map((cgroup) => ({
      name: `may be used by tasks in pods of ${cgroup}`,
      options: ["cgroup_ps_blacklist=/kubepods\\.slice/"],
      moved: ["sshd", "pmd\\;1", "kubelet", "kworker", "worker of kubelet"],
      cgroup,
    })),
    {
      name: "are left by all where a black list has an empty part",
      options: ["ps_blacklist=;"],
      moved: ["sshd", "pmd\\;1", "kubelet", "qemu-kvm", "CPU 0/KVM", "kworker", "worker of kubelet"],
    },
  ])("$name", async ({ options, moved, cgroup = "0::/kubepods.slice/pod1" }) => {
    const threads: Thread[] = [
      { tid: 10, comm: "sshd" },
      { tid: 11, comm: "pmd\\;1" },
      { tid: 20, comm: "kubelet", threads: 2 },
      { tid: 21, pid: 20, comm: "worker of kubelet" },
      { tid: 30, comm: "qemu-kvm", cgroup: `${cgroup}\n`, threads: 2 },
      { tid: 31, pid: 30, comm: "CPU 0/KVM" },
      { tid: 40, comm: "kworker", kind: "kernel" },
    ];
    await engine.apply(schedulerProfile("isolated_cores=2-7", ...options), new TaskNode(threads));
    const now = threads.filter(({ cpus }) => cpus === "0-1").map(({ comm }) => comm);
    expect(now.toSorted()).toEqual(moved.toSorted());
  });

  it.each([
    { cgroup: "0::/kubepods/pod1\n", file: "/sys/fs/cgroup/kubepods/pod1/cpuset.cpus.effective" },
    { cgroup: "9:cpuset,cpu:/pod1\n0::/x\n", file: "/sys/fs/cgroup/cpuset/pod1/cpuset.effective_cpus" },
  ])("stay those of a task whose cpuset has no others: $file", async ({ cgroup, file }) => {
    const threads: Thread[] = [
      { tid: 10, comm: "exclusive", cpus: "3", cgroup },
      { tid: 11, comm: "sshd" },
    ];
    const host = new TaskNode(threads, { [file]: "3\n" });
    const report = await engine.apply(isolate, host);
    expect(cpusOf(threads)).toEqual({ exclusive: "3", sshd: "0-1" });
    expect(reasons(report)).toEqual(["isolated_cores: 1 task is left alone: not allowed on these CPUs by its cpuset"]);
  });

  it("are not changed for a later task with the same number", async () => {
    const threads: Thread[] = [{ tid: 10, comm: "old", cpus: "0-7" }];
    const host = new TaskNode(threads);
    await engine.apply(isolate, host);
    threads[0] = { tid: 10, comm: "new", cpus: "0", start: 999 };
    host.show(threads[0]);
    await engine.rollback(host);
    expect(cpusOf(threads)).toEqual({ new: "0" });
  });

  it("are left by tasks that start later once the profile is applied again", async () => {
    const threads: Thread[] = [{ tid: 10, comm: "first" }];
    const host = new TaskNode(threads);
    await engine.apply(isolate, host);
    const later = { tid: 11, comm: "later", cpus: "3" };
    threads.push(later);
    host.show(later);
    await engine.apply(isolate, host);
    expect(cpusOf(threads)).toEqual({ first: "0-1", later: "0-1" });
    await engine.rollback(host);
    expect(cpusOf(threads)).toEqual({ first: "0-7", later: "3" });
  });

  it("leave a task where it pinned itself afterwards, if that is not on one of them", async () => {
    const task: Thread = { tid: 10, comm: "daemon" };
    const host = new TaskNode([task]);
    await engine.apply(isolate, host);
    task.cpus = "1";
    host.show(task);
    await engine.apply(isolate, host);
    expect(task.cpus).toBe("1");
  });

  it("are used again by tasks when the next profile isolates fewer", async () => {
    const task: Thread = { tid: 10, comm: "daemon" };
    const host = new TaskNode([task]);
    await engine.apply(isolate, host);
    await engine.apply(schedulerProfile("isolated_cores=4-7"), host);
    expect(task.cpus).toBe("0-3");
    await engine.rollback(host);
    expect(task.cpus).toBe("0-7");
  });

  it("are left by thousands of tasks with few programs", async () => {
    const threads = Array.from({ length: 3000 }, (_, i): Thread => ({ tid: i + 1, comm: `task${i}` }));
    const host = new TaskNode(threads);
    await engine.apply(isolate, host);
    expect(threads.every(({ cpus }) => cpus === "0-1")).toBe(true);
    expect(host.runs.length).toBeLessThan(5);
    host.runs.length = 0;
    await engine.rollback(host);
    expect(threads.every(({ cpus }) => cpus === "0-7")).toBe(true);
    expect(host.runs.length).toBeLessThan(5);
  });

  it.each([
    ["isolated_cores=8", 'isolated_cores: "8" names CPUs that the node does not have; it has 0-7'],
    ["isolated_cores=0-7", "isolated_cores: leaves no CPU for other tasks"],
    ["isolated_cores=x", 'isolated_cores: "x" is not a list of CPUs'],
  ])("of %s are refused", async (option, reason) => {
    const task: Thread = { tid: 10, comm: "daemon" };
    expect(reasons(await engine.apply(schedulerProfile(option), new TaskNode([task])))).toEqual([reason]);
    expect(task.cpus).toBeUndefined();
  });
});

describe("Groups of tasks", () => {
  const threads = (): Thread[] => [
    { tid: 10, comm: "ksoftirqd/0", kind: "kernel" },
    { tid: 20, comm: "rcuc/1", kind: "kernel", policy: "f 1" },
    { tid: 30, comm: "app", command: "/usr/bin/app --fast", threads: 2 },
    { tid: 31, pid: 30, comm: "worker" },
    { tid: 40, comm: "media", command: "media", policy: "deadline 0" },
  ];

  it.each([
    {
      name: "run by policy and priority, threads like their process",
      options: ["group.soft=0:f:2:*:^\\[ksoftirqd", "group.app=0:r:5:*:app --fast"],
      policies: { "ksoftirqd/0": "f 2", app: "r 5", worker: "r 5" },
      said: [],
    },
    {
      name: "get another priority only with a policy that has any",
      options: ["group.k=0:*:3:*:^\\["],
      policies: { "rcuc/1": "f 3" },
      said: ["group.k: 1 task is left alone: the priority 3 is not valid for the policy"],
    },
    {
      name: "are ruled by the last rule that matches, in the order of numbers (Q19)",
      options: ["group.late=10:f:7:*:app", "group.early=9:f:3:*:app"],
      policies: { app: "f 7", worker: "f 7" },
      said: [],
    },
    { name: "are cancelled by an empty rule", options: ["group.app="], policies: {}, said: [] },
    {
      name: "never take a deadline away",
      options: ["group.media=0:o:0:*:media"],
      policies: {},
      said: ["group.media: 1 task is left alone: its scheduling policy could not be restored"],
    },
    {
      name: "have policies that exist, priorities within range and expressions that can be run",
      options: ["group.a=0:x:1:*:app", "group.b=0:f:100:*:app", "group.c=0:f:a:*:app", "group.d=0:f:1:*:(a)\\1"],
      policies: {},
      said: [
        'group.a: "x" is not a scheduling policy',
        "group.b: a priority of fifo is from 1 to 99, not 100",
        'group.c: "a" is not a priority',
        String.raw`group.d: regular expression "(a)\\1": a reference to an earlier group is not supported`,
      ],
    },
  ])("$name", async ({ options, policies, said }) => {
    const tasks = threads();
    const before = policiesOf(tasks);
    const host = new TaskNode(tasks);
    const report = await engine.apply(schedulerProfile("runtime=0", ...options), host);
    expect(policiesOf(tasks)).toEqual({ ...before, ...policies });
    expect(reasons(report)).toEqual(said);
    await engine.rollback(host);
    expect(policiesOf(tasks)).toEqual(before);
  });

  it("have CPUs of their own among isolated ones, unless they are in a control group to leave alone", async () => {
    const tasks: Thread[] = [
      { tid: 10, comm: "app", command: "app" },
      { tid: 20, comm: "other", command: "other" },
      { tid: 30, comm: "app in a pod", command: "app", cgroup: "0::/kubepods/x\n" },
    ];
    const host = new TaskNode(tasks);
    const options = ["isolated_cores=2-7", "cgroup_ps_blacklist=kubepods", "group.app=0:f:1:0c:^app$"];
    await engine.apply(schedulerProfile("runtime=0", ...options), host);
    expect(cpusOf(tasks)).toEqual({ app: "2-3", other: "0-1", "app in a pod": "0-7" });
    expect(policiesOf(tasks)).toEqual({ app: "f 1", other: "o 0", "app in a pod": "f 1" });
    await engine.rollback(host);
    expect(cpusOf(tasks)).toEqual({ app: "0-7", other: "0-7", "app in a pod": "0-7" });
  });

  it.each([
    ["group.a=0:o:0:zz:app", 'group.a: "zz" is not a mask of CPUs'],
    ["group.a=0:o:0:cgroup.x:app", "group.a: cgroup.x needs control groups of version 1"],
  ])("cannot run on %s", async (option, reason) => {
    const report = await engine.apply(schedulerProfile("runtime=0", option), new TaskNode(threads()));
    expect(reasons(report)[0]).toContain(reason);
  });
});
