import { describe, expect, it } from "vitest";
import type { DiskDeviceFacts, HostFacts } from "./host-facts.ts";
import type { PerftuneOptions } from "./option/perftune-options.ts";
import { actions, card, hostWith, netOptions, notes, planned, smallHost, writes } from "./testing/bench-host.ts";

const diskOptions: PerftuneOptions = { ...netOptions, tune: ["disks"], devices: ["sda"] };
const clockOptions: PerftuneOptions = { ...netOptions, tune: ["system"], tuneClock: true };

function disk(name: string, more: Partial<DiskDeviceFacts> = {}): DiskDeviceFacts {
  return { name, irqs: [], ...more };
}

function hostWithDisks(devices: readonly DiskDeviceFacts[], more: Partial<HostFacts> = {}): HostFacts {
  return { ...smallHost, disks: { devices, unresolved: [] }, ...more };
}

const queue = (name: string): string => `/sys/block/sda/queue/${name}`;

describe("disks", () => {
  it.each([
    ["[none] mq-deadline\n", "none"],
    ["[none]\n", "none"],
    ["noop [deadline] cfq\n", "noop"],
    ["noop [none]\n", "none"],
    ["[mq-deadline] kyber\n", undefined],
    ["nonesuch\n", undefined],
  ])("have the scheduler of %j that does nothing", (text, value) => {
    const plan = planned(diskOptions, hostWithDisks([disk("sda", { scheduler: { path: queue("scheduler"), text } })]));
    expect(writes(plan)).toEqual(value === undefined ? {} : { [queue("scheduler")]: value });
  });

  it("keep what the kernel believes of their caches, unless the user says otherwise", () => {
    const facts = hostWithDisks([disk("sda", { writeCache: { path: queue("write_cache"), text: "write back" } })]);
    expect(writes(planned(diskOptions, facts))).toEqual({});
    expect(writes(planned({ ...diskOptions, writeBackCache: false }, facts))).toEqual({
      [queue("write_cache")]: "write through",
    });
    expect(writes(planned({ ...diskOptions, writeBackCache: true }, facts))).toEqual({
      [queue("write_cache")]: "write back",
    });
  });

  it("share what is above them: it is set once", () => {
    const nomerges = { path: queue("nomerges"), text: "0" };
    expect(
      actions(planned(diskOptions, hostWithDisks([disk("sda1", { nomerges }), disk("sda2", { nomerges })]))),
    ).toHaveLength(1);
  });

  it("of NVMe have IRQs on all CPUs, which the kernel may refuse; others on IRQ CPUs", () => {
    const facts = hostWithDisks([disk("nvme0n1", { irqs: [62, 60, 61] }), disk("sda", { irqs: [33, 34] })]);
    const affinity = (irq: number, value: string, refusal: string): object => ({
      type: "write",
      path: `/proc/irq/${irq}/smp_affinity`,
      value,
      refusal,
    });
    expect(actions(planned({ ...diskOptions, irqCpuMask: { text: "0x80", cpus: [7] } }, facts))).toEqual([
      affinity(33, "00000080", "warned"),
      affinity(34, "00000080", "warned"),
      affinity(60, "00000001", "expected"),
      affinity(61, "00000002", "expected"),
      affinity(62, "00000004", "expected"),
    ]);
  });

  it.each([
    ["i3.2xlarge", [61, 62]],
    ["i3.metal", [60, 61, 62, 69]],
    ["i3en.2xlarge", [60, 61, 62, 69]],
    [undefined, [60, 61, 62, 69]],
  ])("of an instance %s use IRQs %j", (instanceType, used) => {
    const interrupts = new Map([
      [60, "PCI-MSI nvme0q0"],
      [61, "PCI-MSI nvme0q0, nvme0q1"],
      [62, "PCI-MSI nvme0q8"],
      [69, "PCI-MSI nvme0q9"],
    ]);
    const disks = { devices: [disk("nvme0n1", { irqs: [...interrupts.keys()] })], unresolved: [] };
    const plan = planned(diskOptions, {
      ...smallHost,
      interrupts,
      disks: instanceType === undefined ? disks : { ...disks, instanceType },
    });
    expect(Object.keys(writes(plan))).toEqual(used.map((irq) => `/proc/irq/${irq}/smp_affinity`));
  });
});

describe("a clock", () => {
  const clock = (virtualisation: string, architecture: string, available: string[]): HostFacts => ({
    ...smallHost,
    clock: { virtualisation, architecture, available, current: "hpet" },
  });

  it.each([
    ["none", "x86_64", "tsc"],
    ["amazon", "x86_64", "kvm-clock"],
    ["google", "x86_64", "kvm-clock"],
    ["vmware", "x86_64", "tsc"],
    ["none", "aarch64", undefined],
    ["kvm", "aarch64", "kvm-clock"],
  ])("on %s and %s is %s", (virtualisation, architecture, source) => {
    const plan = planned(clockOptions, clock(virtualisation, architecture, ["tsc", "kvm-clock"]));
    expect(Object.values(writes(plan))).toEqual(source === undefined ? [] : [source]);
    expect(actions(planned(clockOptions, clock(virtualisation, architecture, ["hpet"])))).toEqual([]);
  });

  it("scylla W-3: is set on a host whose NUMA nodes differ, where masks are needed for nothing", () => {
    const [node] = smallHost.topology.numaNodes;
    const small = { id: 1, cores: [{ id: 9, socket: 1, cpus: [9] }] };
    const topology = { offline: [], numaNodes: [...(node ? [node] : []), small] };
    expect(writes(planned(clockOptions, { ...clock("none", "x86_64", ["tsc"]), topology }))).not.toEqual({});
    const refused = planned(netOptions, { ...hostWith(card(1)), topology });
    expect(refused).toMatchObject({
      type: "refused",
      exitCode: 1,
      problem: expect.stringContaining("NUMA nodes differ"),
    });
  });

  it("is not set without --tune system", () => {
    const plan = planned(
      { ...netOptions, tuneClock: true },
      { ...hostWith(card(1)), ...clock("kvm", "x86_64", ["kvm-clock"]) },
    );
    expect(notes(plan)).toContain("--tune-clock has no effect without --tune system");
    expect(Object.values(writes(plan))).not.toContain("kvm-clock");
  });
});

describe("a run", () => {
  it("says that a CPU mask has no CPU of the machine, and uses all", () => {
    const plan = planned({ ...netOptions, cpuMask: { text: "0xff00", cpus: [8, 9] } }, hostWith(card(1)));
    expect(notes(plan)[1]).toBe("--cpu-mask 0xff00 has no CPU of this machine: all CPUs are used");
  });

  it.each<[string, PerftuneOptions, HostFacts, string]>([
    [
      "no disk",
      diskOptions,
      { ...smallHost, disks: { devices: [], unresolved: ["/a: no such directory"] } },
      "no disks were found: /a",
    ],
    ["no disk named", { ...diskOptions, devices: [] }, smallHost, "neither directories nor devices"],
    ["a card that is missing", netOptions, { ...smallHost, nics: [{ type: "missing", name: "eth0" }] }, "--nic eth0"],
    [
      "a card of nothing",
      netOptions,
      { ...smallHost, nics: [{ type: "devices", name: "bond0", devices: [] }] },
      "Not supported virtual device bond0",
    ],
    [
      "an unclear config of irqbalance",
      netOptions,
      {
        ...hostWith(card(1)),
        irqbalance: {
          hasUnit: true,
          isSystemd: true,
          hasBackup: false,
          bannedByUs: [],
          config: { path: "/c", text: 'IRQBALANCE_ARGS="\n' },
        },
      },
      "/c: the value of IRQBALANCE_ARGS",
    ],
  ])("with %s is refused before anything changes", (_, options, facts, problem) => {
    expect(planned(options, facts)).toMatchObject({ type: "refused", problem: expect.stringContaining(problem) });
  });

  it("of all components is in order: queues, irqbalance, disks, cards, network, clock", () => {
    const facts = {
      ...hostWith(card(2)),
      disks: { devices: [disk("sda", { irqs: [33] })], unresolved: [] },
      irqbalance: {
        hasUnit: true,
        isSystemd: true,
        hasBackup: true,
        bannedByUs: [],
        config: { path: "/etc/default/irqbalance", text: "" },
      },
      clock: { virtualisation: "kvm", architecture: "x86_64", available: ["kvm-clock"], current: "tsc" },
    };
    const plan = planned({ ...diskOptions, tune: ["disks", "net", "system"], tuneClock: true }, facts);
    const order = actions(plan).map((action) =>
      action.type === "write" ? (action.path.split("/").at(-1) ?? "") : action.type,
    );
    expect(order.filter((step, index) => step !== order[index - 1])).toEqual([
      "set-channels",
      "ban-irqs",
      "run",
      "smp_affinity",
      "rps_cpus",
      "rps_sock_flow_entries",
      "rps_flow_cnt",
      "set-ntuple",
      "xps_cpus",
      "somaxconn",
      "tcp_max_syn_backlog",
      "tcp_mem",
      "current_clocksource",
    ]);
  });
});
