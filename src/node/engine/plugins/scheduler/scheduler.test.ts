import { describe, expect, it } from "vitest";
import { nativeEngine } from "../../native-engine.ts";
import { complaints, expectedOutcome, outcomeOf, runCase } from "../../testing/plugin-bench.ts";
import { recordedCases } from "../../testing/recorded-case.ts";
import { schedulerProfile, TaskNode, reasons } from "../../testing/scheduler-node.ts";
import { scheduler } from "./scheduler.ts";

const plugins = [scheduler];
const engine = nativeEngine(plugins);

describe("Numbers of the scheduler are set as TuneD sets them", () => {
  const cases = recordedCases("26-plugin-others").filter(({ id }) => id.startsWith("sched-"));
  it.each(cases)("$id: $note", async (one) => {
    const result = await runCase(one, { plugins });
    expect(outcomeOf(result)).toEqual(expectedOutcome(one));
    expect(complaints(result)).toEqual([]);
  });
});

describe("Numbers of the scheduler", () => {
  const debug = "/sys/kernel/debug/sched";
  it.each([
    { option: "sched_min_granularity_ns=5", path: `${debug}/base_slice_ns`, before: "3", after: "5" },
    { option: "sched_base_slice_ns=5", path: "/proc/sys/kernel/sched_min_granularity_ns", before: "3", after: "5" },
    { option: "sched_nr_migrate=>32", path: `${debug}/nr_migrate`, before: "8", after: "32" },
    { option: "sched_nr_migrate=>32", path: `${debug}/nr_migrate`, before: "64", after: "64" },
    {
      option: "numa_balancing_scan_delay_ms=9",
      path: `${debug}/numa_balancing/scan_delay_ms`,
      before: "1",
      after: "9",
    },
  ])("$option makes $path $after", async ({ option, path, before, after }) => {
    const host = new TaskNode([], { [path]: `${before}\n` });
    const profile = schedulerProfile(option);
    await engine.apply(profile, host);
    expect(await host.read(path)).toEqual({ type: "text", text: `${after}\n` });
    expect((await engine.verify(profile, host)).differences).toEqual([]);
    await engine.rollback(host);
    expect(await host.read(path)).toEqual({ type: "text", text: `${before}\n` });
  });

  it("that newer kernels have no use for are passed over, those that should be there are missed", async () => {
    const profile = schedulerProfile("sched_latency_ns=1", "sched_wakeup_granularity_ns=1", "sched_nr_migrate=1");
    const host = new TaskNode([]);
    const { settings } = await engine.apply(profile, host);
    expect(settings.map(({ type }) => type)).toEqual(["skipped", "skipped", "failed"]);
    expect((await engine.verify(profile, host)).differences).toMatchObject([{ option: "sched_nr_migrate" }]);
  });
});

describe("Interrupts", () => {
  const path = "/proc/irq/9/smp_affinity";
  const byDefault = "/proc/irq/default_smp_affinity";
  const files = {
    "/proc/interrupts": "     CPU0 CPU1\n  9:  1 2  IO-APIC  acpi\nNMI:  0 0  Non-maskable\n",
    [path]: "fe\n",
    "/proc/irq/10/smp_affinity": "ff\n",
    [byDefault]: "ff\n",
  };

  it.each([
    { name: "leave isolated CPUs", options: [], nine: "02", mask: "03" },
    { name: "stay with irq_process off", options: ["irq_process=false"], nine: "fe", mask: "ff" },
    {
      name: "go elsewhere by default where that is asked for",
      options: ["default_irq_smp_affinity=4"],
      nine: "02",
      mask: "10",
    },
    {
      name: "go anywhere by default where that is asked for",
      options: ["default_irq_smp_affinity=ignore"],
      nine: "02",
      mask: "ff",
    },
    {
      name: "go away from isolated CPUs by default",
      options: ["default_irq_smp_affinity=calc"],
      nine: "02",
      mask: "03",
    },
  ])("$name, and those without a handler stay", async ({ options, nine, mask }) => {
    const host = new TaskNode([], files);
    const profile = schedulerProfile("isolated_cores=2-7", ...options);
    const masks = async () => [await maskAt(path), await maskAt(byDefault), await maskAt("/proc/irq/10/smp_affinity")];
    const maskAt = async (file: string) => {
      const found = await host.read(file);
      return found.type === "text" ? found.text.trim().slice(-2) : "";
    };
    await engine.apply(profile, host);
    expect(await masks()).toEqual([nine, mask, "ff"]);
    expect((await engine.verify(profile, host)).differences).toEqual([]);
    await engine.rollback(host);
    expect(await masks()).toEqual(["fe", "ff", "ff"]);
  });

  it("that go to isolated CPUs by default are a difference, fewer CPUs than allowed are none (Q20)", async () => {
    const host = new TaskNode([], files);
    const profile = schedulerProfile("isolated_cores=2-7");
    await engine.apply(profile, host);
    host.put(byDefault, "ff\n");
    expect((await engine.verify(profile, host)).differences).toMatchObject([{ target: byDefault, found: "000000ff" }]);
    host.put(byDefault, "01\n");
    expect((await engine.verify(profile, host)).differences).toEqual([]);
  });
});

describe("What only the TuneD daemon supports is reported", () => {
  it.each([
    { options: ["runtime=0", "group.a=0:f:1:*:x"], said: [] },
    { options: ["isolated_cores=2"], said: [] },
    { options: ["group.a=0:f:1:*:x"], said: ["runtime: tasks that start later are tuned by a running agent"] },
    {
      options: ["runtime=1", "group.a=0:f:1:*:x"],
      said: ["runtime: tasks that start later are tuned by a running agent"],
    },
    { options: ["perf_mmap_pages=3"], said: ["perf_mmap_pages: has no effect"] },
    { options: ["cgroup.one=2"], said: ["cgroup.one: needs control groups of version 1"] },
    { options: ["cgroup_for_isolated_cores=x"], said: ["cgroup_for_isolated_cores: needs control groups"] },
    { options: ["cgroup_mount_point_init=0", "perf_process_fork=false"], said: [] },
    { options: ["default_irq_smp_affinity=1"], said: ["default_irq_smp_affinity: has no effect without"] },
    { options: ["cgroups=2"], said: ["cgroups: is not an option of [scheduler]"] },
    { options: ["isolated_cors=2"], said: ["isolated_cors: is not an option of [scheduler]"] },
  ])("$options", async ({ options, said }) => {
    const report = reasons(await engine.apply(schedulerProfile(...options), new TaskNode([])));
    expect(report).toHaveLength(said.length);
    for (const [index, text] of said.entries()) expect(report[index]).toContain(text);
  });
});
