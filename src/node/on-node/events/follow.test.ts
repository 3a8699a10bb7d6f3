import { describe, expect, test } from "vitest";
import { noLog } from "../../../cluster/runtime/log/log.ts";
import { VirtualClock } from "../../../cluster/runtime/testing/virtual-clock.ts";
import { apiVersion, type Profile, type ReportedSetting } from "../../../domain/node-tuning/api.ts";
import { findCondition } from "../../../language/object/condition.ts";
import type { CommandResult } from "../../host/host.ts";
import { MemoryBase } from "../../host/memory-base.ts";
import type { MemoryCommand } from "../../host/memory-host.ts";
import { WatchedHost } from "../../host/testing/watched-host.ts";
import { NodeEngines } from "../node-engines.ts";
import { NodeTuner } from "../node-tuner.ts";
import { profileStatus } from "../report/profile-status.ts";
import type { Tuning } from "../tune-outcome.ts";
import { NodeEvents } from "./node-events.ts";

const swappiness = "/proc/sys/vm/swappiness";
const minutes = 60_000;
const resyncIntervalMs = 10 * minutes;

const done = (stdout = ""): CommandResult => ({ type: "exited", code: 0, stdout, stderr: "" });

/** A node with an agent: the tuner is called as the controller calls it. */
class World {
  readonly clock = new VirtualClock();
  readonly host: WatchedHost;
  readonly tuner: NodeTuner;
  readonly over = new AbortController();
  readonly profile: Profile;
  /** Reconciles, and commands that change something. */
  checks = 0;
  readonly commands: string[] = [];
  /** Interface parameters, as ethtool and ip see them. */
  readonly values = new Map<string, string>();
  tuning: Tuning | undefined;
  /** Programs fail, as they do for a device that is gone. */
  broken = false;
  #cancel = (): void => {};

  constructor(text: string, files: Record<string, string> = {}, { monitor = true } = {}) {
    const program = (name: string, answer: (args: readonly string[]) => CommandResult): [string, MemoryCommand] => [
      name,
      (args) => (this.broken ? { type: "exited", code: 1, stdout: "", stderr: "No such device" } : answer(args)),
    ];
    this.host = new WatchedHost(
      new MemoryBase([
        ["/proc/sys/kernel/random/boot_id", "boot\n"],
        [swappiness, "60\n"],
        ["/sys/devices/system/cpu/online", "0\n"],
        ["/sys/class/net/eth0/ifindex", "2\n"],
        ...Object.entries(files),
      ]),
      [
        program("ip", (args) => this.#ip(args)),
        program("ethtool", (args) => this.#ethtool(args)),
        program("sh", (args) => this.#tasks(args.slice(3))),
      ],
    );
    this.host.canMonitor = monitor;
    const { host, clock } = this;
    const events = new NodeEvents({ host, clock, log: noLog, wake: () => void this.reconcile() });
    const engines = new NodeEngines({ host, option: "native" });
    this.tuner = new NodeTuner({ node: "n", host, engines, clock, resyncIntervalMs, log: noLog, events });
    events.start(this.over.signal);
    const spec = { config: { tunedProfile: "p" }, profile: [{ name: "p", data: text }] };
    this.profile = { apiVersion, kind: "Profile", metadata: { name: "n" }, spec };
  }

  static async settled(...given: ConstructorParameters<typeof World>): Promise<World> {
    const world = new World(...given);
    await world.reconcile();
    // The agent's own writes are reported to it, too.
    await world.clock.advance(3000);
    world.host.writes = 0;
    world.commands.length = 0;
    world.checks = 0;
    return world;
  }

  async reconcile(): Promise<void> {
    this.checks++;
    this.tuning = await this.tuner.tune(this.profile);
    this.#cancel();
    this.#cancel = this.clock.after(this.tuner.checkInMs, () => void this.reconcile());
  }

  async value(path = swappiness): Promise<string> {
    const file = await this.host.read(path);
    return file.type === "text" ? file.text.trim() : file.type;
  }

  condition(type: string): string {
    if (!this.tuning) return "";
    const { conditions } = profileStatus(this.profile, this.tuning, "now");
    const { status = "", reason = "", message = "" } = findCondition(conditions, type) ?? {};
    return `${status} ${reason} ${message}`;
  }

  /** As the Profile's status has it. */
  setting(name: string): ReportedSetting | undefined {
    if (!this.tuning) return undefined;
    return profileStatus(this.profile, this.tuning, "now").settings?.find(({ option }) => option === name);
  }

  addDisk(name: string): void {
    this.host.put(`/sys/block/${name}/removable`, "0\n");
    this.host.put(`/sys/block/${name}/queue/read_ahead_kb`, "128\n");
  }

  announce(line = "KERNEL[1.0] add      /devices/pci0/x (block)"): void {
    for (const monitor of this.host.monitors) monitor.line(line);
  }

  #ip(args: readonly string[]): CommandResult {
    const [, verb, ...rest] = args;
    const device = (verb === "show" ? rest[0] : rest[1]) ?? "";
    if (verb === "show") return done(`2: ${device}: <UP> mtu ${this.values.get(`${device} mtu`) ?? 1500} qlen 1000\n`);
    this.commands.push(`ip ${args.join(" ")}`);
    this.values.set(`${device} ${rest[2]}`, rest[3] ?? "");
    return done();
  }

  #ethtool([flag = "", device = "", ...pairs]: readonly string[]): CommandResult {
    if (flag === "-c") return done(`rx-usecs: ${this.values.get(`${device} rx-usecs`) ?? "3"}\n`);
    this.commands.push(`ethtool ${[flag, device, ...pairs].join(" ")}`);
    for (let i = 0; i < pairs.length; i += 2) this.values.set(`${device} ${pairs[i]}`, pairs[i + 1] ?? "");
    return done();
  }

  #tasks(items: readonly string[]): CommandResult {
    for (const item of items) {
      this.commands.push(`task ${item}`);
      const [tid = "", start = "", letter = "", priority = ""] = item.split(":");
      const policy = letter === "-f" ? 1 : 0;
      this.start({ pid: Number(tid), start, command: "", policy, priority: Number(priority) });
    }
    return done();
  }

  /** A process that appears, or changes. */
  start({ pid = 0, start = "77", command = "", policy = 0, priority = 0 }): void {
    const fields = Array.from({ length: 50 }, () => "0");
    Object.assign(fields, { 0: "S", 17: "1", 19: start, 37: `${priority}`, 38: `${policy}` });
    this.host.put(`/proc/${pid}/stat`, `${pid} (x) ${fields.join(" ")}\n`);
    if (command !== "") this.host.put(`/proc/${pid}/cmdline`, command.replaceAll(" ", "\0"));
  }
}

const sysctl = "[sysctl]\nvm.swappiness=10\n";

describe("a setting that another process writes", () => {
  test("is set back at once, and the condition says so until it was quiet for a resync interval", async () => {
    const w = await World.settled(sysctl);
    await w.host.write(swappiness, "77");
    await w.clock.advance(100);
    expect(await w.value()).toBe("10");
    expect(w.condition("Drifted")).toBe(
      `True Repaired another process changed ${swappiness} to "77", set back to "10" for profile: [sysctl] vm.swappiness (p/tuned.conf:2)`,
    );
    await w.clock.advance(2 * resyncIntervalMs);
    expect(w.condition("Drifted")).not.toMatch(/^True/);
  });

  test("is no drift where the kernel keeps another value than the one written", async () => {
    const path = "/sys/block/sdb/queue/read_ahead_kb";
    const files = { "/sys/block/sdb/removable": "0\n", [path]: "128\n" };
    const w = new World("[disk]\ndevices=sdb\nreadahead=3333\n", files);
    // A multiple of the page size.
    w.host.keeps = (written, text) => (written === path ? `${Math.floor(Number(text) / 4) * 4}` : text);
    await w.reconcile();
    const { writes } = w.host;
    await w.clock.advance(2 * resyncIntervalMs);
    expect(await w.value(path)).toBe("3332");
    expect(w.condition("Drifted")).not.toMatch(/^True/);
    expect(w.host.writes).toBe(writes);
    await w.host.write(path, "128");
    await w.clock.advance(3000);
    expect(await w.value(path)).toBe("3332");
    expect(w.condition("Drifted")).toMatch(/^True Repaired .* to "128"/);
  });

  test("is set back if it already had the wanted value when the profile was applied", async () => {
    const w = await World.settled("[sysctl]\nvm.swappiness=60\n");
    expect(w.host.writes).toBe(0);
    await w.host.write(swappiness, "77");
    await w.clock.advance(100);
    expect(await w.value()).toBe("60");
    await w.tuner.release();
    expect(await w.value()).toBe("60");
  });

  test("is a check and no write where the writer is the agent itself, or writes the same", async () => {
    const w = await World.settled(sysctl);
    await w.host.write(swappiness, "10");
    w.host.writes = 0;
    await w.clock.advance(minutes);
    expect(w.checks).toBe(1);
    expect(w.host.writes).toBe(0);
    expect(w.condition("Drifted")).toBe("  ");
  });

  test("again and again is set back ever more rarely, and named as contested", async () => {
    const w = await World.settled(sysctl);
    let repairs = 0;
    for (let second = 0; second < 1200; second++) {
      if ((await w.value()) === "10") {
        await w.host.write(swappiness, "77");
        repairs++;
      }
      await w.clock.advance(1000);
    }
    expect(repairs).toBeGreaterThan(5);
    expect(repairs).toBeLessThan(15);
    expect(w.checks).toBeLessThan(60);
    expect(w.condition("Drifted")).toMatch(
      /^True Contested .* \([0-9]+ times; again after [0-9]+ s at the earliest\)$/,
    );
  });

  test("is reported with the value on the node while it waits to be set back, and not anew at each write", async () => {
    const w = await World.settled(sysctl);
    const reports: string[] = [];
    for (let second = 0; second < 300; second++) {
      await w.host.write(swappiness, second % 2 === 0 ? "77" : "78");
      await w.clock.advance(1000);
      const report = JSON.stringify([w.setting("vm.swappiness"), w.condition("Drifted")]);
      if (report !== reports.at(-1)) reports.push(report);
    }
    expect(w.condition("Drifted")).toMatch(/^True Contested .* not yet set back to "10" /);
    expect(w.setting("vm.swappiness")).toEqual({
      unit: "sysctl",
      option: "vm.swappiness",
      state: "Different",
      value: expect.stringMatching(/^7[78]$/) as string,
      message: expect.stringMatching(/^another process changed it, set back again after [0-9]+ s at the/) as string,
    });
    expect(reports.length).toBeLessThan(20);

    await w.host.write(swappiness, "10");
    await w.clock.advance(resyncIntervalMs);
    expect(w.setting("vm.swappiness")?.state).toBe("AsWanted");
  });

  test("a thousand times a second costs a check every two seconds", async () => {
    const w = await World.settled(sysctl);
    for (let tick = 0; tick < 6000; tick++) {
      await w.host.write(swappiness, "77");
      if (tick % 100 === 0) await w.clock.advance(1000);
    }
    expect(w.checks).toBeLessThan(60);
  });

  test("that the profile no longer has is left alone", async () => {
    const w = await World.settled(sysctl);
    await w.tuner.release();
    expect(w.host.watched).toEqual([]);
    await w.host.write(swappiness, "77");
    await w.clock.advance(minutes);
    expect(await w.value()).toBe("77");
  });

  test("irqbalance may choose among the CPUs that the profile allows, and no others", async () => {
    const path = "/proc/irq/16/smp_affinity";
    const w = await World.settled("[irq]\naffinity=0-3\nmode=intersect\n", { [path]: "ff\n" });
    expect(await w.value(path)).toBe("0000000f");
    w.host.put(path, "ff\n");
    for (const [mask, expected] of [
      ["00000002", "00000002"],
      ["00000010", "0000000f"],
    ] as const) {
      await w.host.write(path, mask);
      await w.clock.advance(2100);
      expect(await w.value(path)).toBe(expected);
    }
  });
});

describe("a setting that a program makes", () => {
  test.each([
    ["mtu=9000", "eth0 mtu", "ip link set dev eth0 mtu 9000"],
    ["coalesce=rx-usecs 8", "eth0 rx-usecs", "ethtool -C eth0 rx-usecs 8"],
  ])("%s is compared at each resync and set back", async (option, name, command) => {
    const w = await World.settled(`[net]\n${option}\n`);
    await w.clock.advance(resyncIntervalMs);
    expect(w.commands).toEqual([]);
    w.values.set(name, "1");
    await w.clock.advance(resyncIntervalMs);
    expect(w.commands).toEqual([command]);
    expect(w.condition("Drifted")).toMatch(/^True Repaired another process changed .* to "1", set back/);
  });
});

describe("a device that appears", () => {
  const disks = "[disk]\nreadahead=4096\n";
  const file = (name: string): string => `/sys/block/${name}/queue/read_ahead_kb`;

  test("is tuned as soon as it is announced, and nothing else is written", async () => {
    const w = new World(`${sysctl}${disks}`);
    w.addDisk("sda");
    await w.reconcile();
    await w.clock.advance(3000);
    w.host.writes = 0;
    w.addDisk("sdb");
    w.announce();
    await w.clock.advance(300);
    expect(await w.value(file("sdb"))).toBe("4096");
    expect(w.host.writes).toBe(1);
    await w.tuner.release();
    expect([await w.value(file("sda")), await w.value(file("sdb"))]).toEqual(["128", "128"]);
  });

  test.each([
    ["no monitor can be started", false],
    ["the monitor has died", true],
  ])("is found by listing where %s", async (_, monitor) => {
    const w = await World.settled(disks, {}, { monitor });
    expect(w.condition("Degraded")).toContain("no matching devices available");
    for (const one of w.host.monitors) one.ended("ended by SIGKILL");
    w.host.monitors.clear();
    w.host.canMonitor = false;
    w.addDisk("sdb");
    await w.clock.advance(5300);
    expect(await w.value(file("sdb"))).toBe("4096");
    expect(w.condition("Degraded")).toBe("False AsExpected No errors.");
  });

  test("is followed by a monitor that is started again after it died", async () => {
    const w = await World.settled(disks);
    for (const one of w.host.monitors) one.ended("ended by SIGKILL");
    w.host.monitors.clear();
    await w.clock.advance(10_000);
    expect(w.host.monitors.size).toBe(1);
  });

  test("is claimed by the first unit that matches it, as when the profile was applied", async () => {
    const w = await World.settled(`[a]\ntype=disk\ndevices=sdb\nreadahead=1024\n[b]\ntype=disk\nreadahead=4096\n`);
    for (const name of ["sdb", "sdc"]) w.addDisk(name);
    w.announce();
    await w.clock.advance(300);
    expect([await w.value(file("sdb")), await w.value(file("sdc"))]).toEqual(["1024", "4096"]);
  });

  test("Q22: is left alone until udev has named it", async () => {
    const w = await World.settled(disks, { "/run/udev/control": "", "/run/udev/data/n2": "" });
    w.addDisk("sdb");
    w.host.put("/sys/block/sdb/dev", "8:16\n");
    w.announce();
    await w.clock.advance(1000);
    expect(await w.value(file("sdb"))).toBe("128");
    w.host.put("/run/udev/data/b8:16", "E:ID_SERIAL=x\n");
    w.announce("UDEV  [2.0] add      /devices/pci0/x (block)");
    await w.clock.advance(300);
    expect(await w.value(file("sdb"))).toBe("4096");
  });

  test("brings the files of [sysfs] and [sysctl] that were missing", async () => {
    const conf = "/proc/sys/net/ipv4/conf/eth1/rp_filter";
    const w = await World.settled(`[sysfs]\n/sys/class/net/eth*/x=5\n[sysctl]\nnet.ipv4.conf.eth1.rp_filter=2\n`);
    expect(w.condition("Degraded")).toContain("net.ipv4.conf.eth1.rp_filter");
    w.host.put("/sys/class/net/eth1/x", "0\n");
    w.host.put(conf, "0\n");
    w.announce("UDEV  [2.0] add      /devices/pci0/net/eth1 (net)");
    await w.clock.advance(300);
    expect([await w.value("/sys/class/net/eth1/x"), await w.value(conf)]).toEqual(["5", "2"]);
  });

  test("as a virtual function is tuned through programs", async () => {
    const w = await World.settled("[net]\nmtu=9000\ncoalesce=rx-usecs 8\n");
    for (const name of ["eth1", "eth2"]) w.host.put(`/sys/class/net/${name}/ifindex`, "7\n");
    w.announce("UDEV  [2.0] add      /devices/pci0/net/eth1 (net)");
    await w.clock.advance(300);
    expect(w.commands).toEqual([
      "ip link set dev eth1 mtu 9000",
      "ip link set dev eth2 mtu 9000",
      "ethtool -C eth1 rx-usecs 8",
      "ethtool -C eth2 rx-usecs 8",
    ]);
  });

  test("as a CPU that comes online has its governor set, also after it was offline", async () => {
    const governor = "/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor";
    const w = await World.settled("[cpu]\ngovernor=performance\n", {
      "/sys/devices/system/cpu/cpu1/online": "0\n",
      [governor]: "powersave\n",
      "/sys/devices/system/cpu/cpu1/cpufreq/scaling_available_governors": "performance powersave\n",
    });
    for (const round of [1, 2]) {
      w.host.put("/sys/devices/system/cpu/cpu1/online", "1\n");
      w.host.put("/sys/devices/system/cpu/online", "0-1\n");
      w.announce("KERNEL[1.0] online   /devices/system/cpu/cpu1 (cpu)");
      await w.clock.advance(5000);
      expect(await w.value(governor), `round ${round}`).toBe("performance");
      w.host.put("/sys/devices/system/cpu/cpu1/online", "0\n");
      w.host.put("/sys/devices/system/cpu/online", "0\n");
      w.host.put(governor, "powersave\n");
      w.announce("KERNEL[1.0] offline  /devices/system/cpu/cpu1 (cpu)");
      await w.clock.advance(5000);
    }
  });

  test("as an interrupt is moved off isolated CPUs", async () => {
    const w = await World.settled("[scheduler]\nisolated_cores=2-3\n", {
      "/sys/devices/system/cpu/present": "0-3\n",
      "/proc/irq/default_smp_affinity": "3\n",
      "/proc/interrupts": "  CPU0\n 16: 1\n 17: 1\n",
    });
    // Other devices are announced, interrupts never.
    w.announce();
    await w.clock.advance(1000);
    const path = "/proc/irq/17/smp_affinity";
    w.host.put(path, "f\n");
    await w.clock.advance(6000);
    expect(await w.value(path)).toBe("00000003");
  });

  test("again and again is tuned ever more rarely, and named", async () => {
    const w = await World.settled(disks);
    for (let second = 0; second < 600; second++) {
      if (second % 2 === 0) w.addDisk("sdb");
      else for (const name of ["removable", "queue/read_ahead_kb"]) w.host.put(`/sys/block/sdb/${name}`, undefined);
      w.announce();
      await w.clock.advance(1000);
    }
    // Ten times as a device, and as often as drift: between two checks it may go and come back unseen.
    expect(w.host.writes).toBeGreaterThan(3);
    expect(w.host.writes).toBeLessThan(20);
    expect(w.condition("Degraded")).toMatch(/sdb appeared [0-9]+ times: it is tuned again after [0-9]+ s/);
  });
});

describe("a device that goes away", () => {
  test("does not fail a roll-back that comes before the agent notices", async () => {
    const w = new World("[net]\ndevices=eth1\nmtu=9000\ncoalesce=rx-usecs 8\n");
    w.host.put("/sys/class/net/eth1/ifindex", "3\n");
    await w.reconcile();
    w.host.put("/sys/class/net/eth1/ifindex", undefined);
    w.broken = true;
    const { restored } = await w.tuner.release();
    expect(restored.map(({ failed }) => failed)).toEqual([undefined, undefined]);
  });

  test("is forgotten: rolling back does not fail, and its original is not that of the next with its name", async () => {
    const w = new World("[net]\ndevices=eth1\nmtu=9000\ncoalesce=rx-usecs 8\n");
    w.host.put("/sys/class/net/eth1/ifindex", "3\n");
    w.announce("UDEV  [2.0] add      /devices/pci0/net/eth1 (net)");
    await w.reconcile();
    await w.clock.advance(5000);
    expect([...w.values.values()]).toEqual(["9000", "8"]);
    w.host.put("/sys/class/net/eth1/ifindex", undefined);
    w.announce("UDEV  [2.0] remove   /devices/pci0/net/eth1 (net)");
    await w.clock.advance(5000);
    w.host.put("/sys/class/net/eth1/ifindex", "9\n");
    w.values.set("eth1 mtu", "1400").set("eth1 rx-usecs", "5");
    w.announce("UDEV  [2.0] add      /devices/pci0/net/eth1 (net)");
    await w.clock.advance(5000);
    expect([...w.values.values()]).toEqual(["9000", "8"]);
    const { restored } = await w.tuner.release();
    expect(restored.filter(({ failed }) => failed !== undefined)).toEqual([]);
    expect([...w.values.values()]).toEqual(["1400", "5"]);
  });
});

describe("a process that starts and matches a rule", () => {
  const rule = "[scheduler]\ngroup.db=0:f:10:*:^mydb\n";

  test("gets its policy, also if it had its parent's command line at first", async () => {
    const w = await World.settled(rule);
    w.start({ pid: 500, command: "mydb --port 1" });
    w.start({ pid: 501, command: "sh -c mydb" });
    await w.clock.advance(2200);
    expect(w.commands).toEqual(["task 500:77:-f:10"]);
    w.start({ pid: 501, command: "mydb --port 2" });
    await w.clock.advance(2200);
    expect(w.commands).toEqual(["task 500:77:-f:10", "task 501:77:-f:10"]);
    await w.clock.advance(minutes);
    expect(w.commands).toHaveLength(2);
    expect(w.checks).toBeLessThan(6);
  });

  test("gets it again when another process takes it away", async () => {
    const w = await World.settled(rule);
    w.start({ pid: 500, command: "mydb --port 1" });
    await w.clock.advance(2200);
    w.start({ pid: 500 });
    await w.clock.advance(resyncIntervalMs);
    expect(w.commands).toEqual(["task 500:77:-f:10", "task 500:77:-f:10"]);
  });

  test("is left alone with runtime=0, as in TuneD", async () => {
    const w = await World.settled(`${rule}runtime=0\n`);
    w.start({ pid: 500, command: "mydb --port 1" });
    await w.clock.advance(resyncIntervalMs + minutes);
    expect(w.commands).toEqual([]);
  });

  test("that ended leaves no entry in the journal", async () => {
    const w = await World.settled(rule);
    const journal = (): Promise<string> => w.value("/var/lib/attune/journal.json");
    w.start({ pid: 500, command: "mydb --port 1" });
    await w.clock.advance(2200);
    expect(await journal()).toContain("task 500@77");
    for (const name of ["stat", "cmdline"]) w.host.put(`/proc/500/${name}`, undefined);
    w.start({ pid: 600, command: "mydb --port 1" });
    await w.clock.advance(4000);
    expect(await journal()).not.toContain("task 500@77");
  });
});

test("an agent that ends closes every watch, monitor and timer", async () => {
  const w = await World.settled(`${sysctl}[scheduler]\ngroup.db=0:f:10:*:^mydb\n`);
  expect(w.host.watched).toEqual(["/proc/sys/vm"]);
  expect(w.host.monitors.size).toBe(1);
  w.over.abort();
  expect(w.host.watched).toEqual([]);
  expect(w.host.monitors.size).toBe(0);
  // The next reconcile of the controller.
  expect(w.clock.pending).toBe(1);
});
