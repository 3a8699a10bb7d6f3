import { describe, expect, it } from "vitest";
import { parseProfile } from "../../language/tuned/text/parse-profile.ts";
import type { PerformanceProfileSpec } from "./api.ts";
import { inputOf } from "./testing/facts.ts";
import { type AskedNode, processors, resolvedOn } from "./testing/resolved-tuned.ts";
import { tunedOf } from "./tuned.ts";

const everything: PerformanceProfileSpec = {
  cpu: { reserved: "0-1", isolated: "2-5", ovsDpdk: "6", shared: "7", balanceIsolated: false },
  hardwareTuning: { isolatedCpuFreq: 2_500_000, reservedCpuFreq: 2_800_000 },
  hugepages: {
    defaultHugepagesSize: "1G",
    pages: [
      { size: "1G", count: 4 },
      { size: "2M", count: 2, node: 0 },
    ],
  },
  net: { userLevelNetworking: true, devices: [{ interfaceName: "ens*" }, { vendorID: "0x8086", deviceID: "0x1521" }] },
  workloadHints: { highPowerConsumption: true },
  additionalKernelArgs: ["audit=0", "quiet"],
};

describe("the Tuned", () => {
  it("is for nodes with all labels of the selector, where there are no MachineConfigPools", () => {
    const nodeSelector = { "node-role.kubernetes.io/a": "", zone: "x" };
    const { facts } = inputOf();
    const { spec } = tunedOf({ ...inputOf(), facts: { ...facts, nodeSelector }, hasPools: false });
    expect(spec?.recommend).toEqual([
      {
        profile: "openshift-node-performance-cnf",
        priority: 20,
        match: [{ label: "node-role.kubernetes.io/a", value: "", match: [{ label: "zone", value: "x" }] }],
      },
    ]);
  });

  it("is for the nodes that the MachineConfig is for, and leaves room for a user's own", () => {
    const { metadata, spec } = tunedOf(inputOf({ machineConfigLabel: { role: "fast" } }));
    expect(metadata).toEqual({
      name: "openshift-node-performance-cnf",
      namespace: "openshift-cluster-node-tuning-operator",
    });
    expect(spec?.recommend).toEqual([
      { profile: "openshift-node-performance-cnf", priority: 20, machineConfigLabels: { role: "fast" } },
    ]);
    expect(spec?.profile?.map(({ name }) => name)).toEqual([
      "openshift-node-performance-cnf",
      "openshift-node-performance-rt-cnf",
      "openshift-node-performance-amd-x86-cnf",
      "openshift-node-performance-arm-aarch64-cnf",
      "openshift-node-performance-intel-x86-cnf",
    ]);
  });

  it("names CPUs in order, each once, however they were written", () => {
    const cpu = { reserved: "0", isolated: "10,9,8,7,6,5,4,3,2,1,21,22,23,24,25,26,27,28,2" };
    expect(tunedOf(inputOf({ cpu })).spec?.profile?.[0]?.data).toContain("\nisolated_cores=1-10,21-28\n");
  });

  it.each([
    ["the least", {}],
    ["everything", everything],
  ])("has a comment of one line for each section, given %s", (_, spec) => {
    for (const { name, data } of tunedOf(inputOf(spec)).spec?.profile ?? []) {
      const { sections, problems } = parseProfile(data, name);
      expect(problems).toEqual([]);
      expect(data.match(/^# .{10,120}$/gm)).toHaveLength(
        sections.filter((section) => section.name !== "main" || section.options.length > 1).length,
      );
    }
  });
});

describe("a node", () => {
  const plain: AskedNode = { lscpu: processors.intel, kernel: "5.14.0-570.el9.x86_64", cpus: 8 };
  const isolation = ["nohz=on", "rcu_nocbs=4-7", "tuned.non_isolcpus=0000000f", "systemd.cpu_affinity=0,1,2,3"];
  const common = [
    "nohz_full=4-7",
    "skew_tick=1",
    "isolcpus=managed_irq,4-7",
    "nosoftlockup",
    "rcutree.kthread_prio=11",
  ];
  const intel = ["intel_iommu=on", "iommu=pt", "tsc=reliable", "nmi_watchdog=0", "mce=off", "intel_pstate=active"];
  const amd = ["iommu=pt", "amd_pstate=guided", "tsc=reliable", "nmi_watchdog=0", "mce=off"];

  /** Without the boot arguments of base profiles. */
  function bootArguments(spec: PerformanceProfileSpec, node: Partial<AskedNode> = {}): readonly string[] {
    const { bootArguments: words, warnings } = resolvedOn(tunedOf(inputOf(spec)), { ...plain, ...node });
    expect(warnings).toEqual([]);
    return words.slice(words.indexOf("nohz=on"));
  }

  it.each<[string, PerformanceProfileSpec, Partial<AskedNode>, string[]]>([
    ["of Intel's", {}, {}, [...isolation, ...intel, ...common]],
    ["of AMD's", {}, { lscpu: processors.amd }, [...isolation, ...amd, ...common]],
    ["of Arm's", {}, { lscpu: processors.arm }, [...isolation, ...common]],
    ["with a real-time kernel", {}, { kernel: "5.14.0-570.rt14.el9" }, [...isolation, ...intel, ...common]],
    [
      "without real-time work",
      { workloadHints: { realTime: false, perPodPowerManagement: true } },
      {},
      [...isolation, "intel_iommu=on", "iommu=pt", "intel_pstate=passive", ...common.slice(0, 3)],
    ],
    [
      "with everything",
      everything,
      {},
      [
        "nohz=on rcu_nocbs=2-6 tuned.non_isolcpus=00000083 systemd.cpu_affinity=0,1,7",
        "intel_iommu=on iommu=pt tsc=reliable nmi_watchdog=0 mce=off",
        "processor.max_cstate=1 intel_idle.max_cstate=0 idle=poll intel_pstate=active",
        "nohz_full=2-6 skew_tick=1 isolcpus=domain,managed_irq,2-6 nosoftlockup rcutree.kthread_prio=11",
        "default_hugepagesz=1G hugepagesz=1G hugepages=4 hugepagesz=2M hugepages=0",
        "irqaffinity=0-5,7 audit=0 quiet",
      ].flatMap((line) => line.split(" ")),
    ],
    [
      "of AMD's with everything",
      everything,
      { lscpu: processors.amd },
      [
        "nohz=on rcu_nocbs=2-6 tuned.non_isolcpus=00000083 systemd.cpu_affinity=0,1,7",
        "iommu=pt amd_pstate=active tsc=reliable nmi_watchdog=0 mce=off processor.max_cstate=1 idle=poll",
        "nohz_full=2-6 skew_tick=1 isolcpus=domain,managed_irq,2-6 nosoftlockup rcutree.kthread_prio=11",
        "default_hugepagesz=1G hugepagesz=1G hugepages=4 hugepagesz=2M hugepages=0",
        "irqaffinity=0-5,7 audit=0 quiet",
      ].flatMap((line) => line.split(" ")),
    ],
  ])("%s boots with what it needs, in this order", (_, spec, node, expected) => {
    expect(bootArguments(spec, node)).toEqual(expected);
  });

  it("gives no sysctl to a real-time kernel that does not have it", () => {
    const keys = (kernel: string): string[] =>
      resolvedOn(tunedOf(inputOf()), { ...plain, kernel })
        .units.filter(({ name }) => name === "sysctl")
        .flatMap(({ options }) => [...options.keys()]);
    const absent = ["kernel.numa_balancing", "net.core.busy_read", "net.core.busy_poll"];
    expect(
      keys("5.14.0-570.el9")
        .filter((key) => absent.includes(key))
        .toSorted(),
    ).toEqual(absent.toSorted());
    expect(keys("5.14.0-570.rt14.el9").filter((key) => absent.includes(key))).toEqual([]);
  });

  it.each([
    [{}, { enabled: false, irqs: "ignore" }],
    [{ globallyDisableIrqLoadBalancing: true }, { enabled: true, irqs: undefined }],
  ])("bans interrupts always only if asked to: %j", (spec, expected) => {
    const { units } = resolvedOn(tunedOf(inputOf(spec)), plain);
    const unit = (name: string) => units.find((one) => one.name === name);
    expect({
      enabled: unit("irqbalance")?.enabled,
      irqs: unit("scheduler")?.options.get("default_irq_smp_affinity")?.value,
    }).toEqual(expected);
  });

  it("has its cards' queues set, each by its own pattern", () => {
    const { units } = resolvedOn(tunedOf(inputOf(everything)), plain);
    const cards = units.filter(({ type }) => type === "net");
    expect(cards.map(({ name, options }) => [name, options.get("channels")?.value])).toEqual([
      ["net", "combined 2"],
      ["net_1", "combined 2"],
    ]);
  });
});
