import { describe, expect, it } from "vitest";
import { planTuning } from "../plan-tuning.ts";
import { actions, card, hostWith, netOptions, notes, planned, writes } from "../testing/bench-host.ts";

const queue = (direction: "rx" | "tx", number: number): string => `/sys/class/net/eth0/queues/${direction}-${number}`;
const masked = { ...netOptions, irqCpuMask: { text: "0x11", cpus: [0, 4] } };

describe("a network card", () => {
  it("has IRQs on IRQ CPUs, packets on all CPUs, and transmits on its share of them", () => {
    expect(writes(planned(masked, hostWith(card(2))))).toEqual({
      "/proc/irq/100/smp_affinity": "00000001",
      "/proc/irq/101/smp_affinity": "00000010",
      [`${queue("rx", 0)}/rps_cpus`]: "000000ff",
      [`${queue("rx", 1)}/rps_cpus`]: "000000ff",
      "/proc/sys/net/core/rps_sock_flow_entries": "32768",
      [`${queue("rx", 0)}/rps_flow_cnt`]: "16384",
      [`${queue("rx", 1)}/rps_flow_cnt`]: "16384",
      [`${queue("tx", 0)}/xps_cpus`]: "00000033",
      [`${queue("tx", 1)}/xps_cpus`]: "000000cc",
      "/proc/sys/net/core/somaxconn": "4096",
      "/proc/sys/net/ipv4/tcp_max_syn_backlog": "4096",
      "/proc/sys/net/ipv4/tcp_mem": "251659 335545 503317",
    });
  });

  it("scylla W-3: without queue files or IRQs is tuned as far as it can be, and says what it lacks", () => {
    const bare = card(0, { rpsQueues: [], flowQueues: [], xpsQueues: [] });
    const plan = planned(masked, hostWith(bare));
    expect(Object.keys(writes(plan))).toEqual([
      "/proc/sys/net/core/rps_sock_flow_entries",
      "/proc/sys/net/core/somaxconn",
      "/proc/sys/net/ipv4/tcp_max_syn_backlog",
      "/proc/sys/net/ipv4/tcp_mem",
    ]);
    expect(notes(plan)).toEqual(
      expect.arrayContaining(["eth0 has no IRQs of its own", "eth0 has no receive queue to spread packets of"]),
    );
  });

  it("gets ntuple filters only where interrupts have all CPUs, or as the user says", () => {
    const ntuple = (more: object): unknown =>
      actions(planned({ ...masked, ...more }, hostWith(card(2)))).find(({ type }) => type === "set-ntuple");
    const on = { type: "set-ntuple", nic: "eth0", on: true };
    const all = { irqCpuMask: { text: "0xff", cpus: [0, 1, 2, 3, 4, 5, 6, 7] } };
    expect(ntuple({})).toEqual({ ...on, on: false });
    expect(ntuple(all)).toEqual(on);
    expect(ntuple({ arfs: true })).toEqual(on);
    // perftune.py turns it on: it takes the 0 of the option for no option.
    expect(ntuple({ ...all, arfs: false })).toEqual({ ...on, on: false });
  });

  it("leaves flows alone where the kernel does not steer them", () => {
    const plan = planned(masked, hostWith(card(2), { net: { memoryBytes: 2 ** 30, pageBytes: 4096 } }));
    expect(
      actions(plan).some((action) => action.type === "set-ntuple" || JSON.stringify(action).includes("flow")),
    ).toBe(false);
  });

  it("of mlx5 shows each queue twice: the upper half is not used", () => {
    const counts = { combined: 2 };
    const nic = card(4, { driver: "mlx5_core", channels: { maximum: counts, current: counts } });
    const written = Object.keys(writes(planned(masked, hostWith(nic))));
    expect(written.filter((path) => /rx-\d\/rps/.test(path))).toEqual([
      `${queue("rx", 0)}/rps_cpus`,
      `${queue("rx", 1)}/rps_cpus`,
      `${queue("rx", 0)}/rps_flow_cnt`,
      `${queue("rx", 1)}/rps_flow_cnt`,
    ]);
  });

  it("of ixgbe hashes to 16 queues: IRQs of others are spread apart from them", () => {
    const affinity = (driver: string): string[] =>
      Object.entries(writes(planned(masked, hostWith(card(19, { driver }))))).flatMap(([path, value]) =>
        path.startsWith("/proc/irq") ? [value] : [],
      );
    const [first, second] = ["00000001", "00000010"];
    const times = (count: number, value: string): string[] => Array.from({ length: count }, () => value);
    expect(affinity("ixgbe")).toEqual([...times(8, first), ...times(8, second), ...times(2, first), second]);
    expect(affinity("igb")).toEqual([...times(10, first), ...times(9, second)]);
  });

  it("that is named twice, also by a bond above it, is tuned once", () => {
    const nic = card(2);
    const facts = hostWith(nic);
    const bond = { type: "devices", name: "bond0", devices: [nic, card(1, { name: "eth1" })] } as const;
    const plan = planned(masked, { ...facts, nics: [...(facts.nics ?? []), bond] });
    const all = actions(plan).map((action) => JSON.stringify(action));
    expect(new Set(all).size).toBe(all.length);
    expect(actions(plan).flatMap((action) => (action.type === "set-ntuple" ? [action.nic] : []))).toEqual([
      "eth0",
      "eth1",
    ]);
  });
});

describe("the number of queues", () => {
  const channels = (current: object, maximum: object): object => ({ channels: { current, maximum } });
  const resized = (nic: object, options = masked): unknown =>
    actions(planned(options, hostWith(card(2, nic)))).find(({ type }) => type === "set-channels");

  it.each([
    ["is tried both ways where the driver does not tell", {}, ["rx", "combined"]],
    ["is set the way that the driver has", channels({ combined: 8 }, { combined: 8 }), ["combined"]],
    ["is set the way that has as many", channels({ rx: 1, combined: 1 }, { rx: 1, combined: 2 }), ["combined"]],
  ])("%s", (_, nic, kinds) => {
    expect(resized(nic)).toEqual({ type: "set-channels", nic: "eth0", count: 2, kinds });
  });

  it.each([
    [
      "scylla W-4: is left alone if it is right: setting it can interrupt traffic of neighbours",
      channels({ combined: 2 }, { combined: 8 }),
    ],
    ["is left alone if the driver has none to set", channels({}, {})],
    ["is left alone if the card has fewer: the kernel refuses more", channels({ rx: 1 }, { rx: 1, combined: 0 })],
  ])("%s", (_, nic) => {
    expect(resized(nic)).toBeUndefined();
  });

  it("is that of the user, also in a dry run, where the card has another one still", () => {
    const options = { ...masked, rxQueues: 1 };
    expect(resized({}, options)).toMatchObject({ count: 1 });
    const plan = planTuning(options, hostWith(card(2)), { asWanted: new Set(["eth0"]), isDryRun: true });
    expect(notes(plan)).toContain("IRQs of receive queues (1), spread over the IRQ CPUs");
  });
});
