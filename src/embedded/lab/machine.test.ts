import { expect, test } from "vitest";
import { nativeEngine } from "../../node/engine/native-engine.ts";
import { placeBaseScripts } from "../../node/on-node/place-base-scripts.ts";
import { resolveSpec } from "../../node/on-node/resolve-spec.ts";
import { apiVersion } from "../../domain/performance-profile/api.ts";
import { readFacts } from "../../domain/performance-profile/read-facts.ts";
import { tunedOf } from "../../domain/performance-profile/tuned.ts";
import { machine } from "./machine.ts";
import { machineBase, smallMachine } from "./machine-base.ts";

const base = machineBase(smallMachine);

test("a machine has the CPUs and the memory of its topology", async () => {
  const host = machine(base, "boot-1");
  expect(await host.read("/sys/devices/system/cpu/online")).toEqual({ type: "text", text: "0-3\n" });
  expect(await host.read("/proc/sys/kernel/random/boot_id")).toEqual({ type: "text", text: "boot-1\n" });
  expect(await host.read("/proc/cmdline")).toEqual({
    type: "text",
    text: "BOOT_IMAGE=/boot/vmlinuz-6.12.0 root=/dev/vda1 ro\n",
  });
  expect(await host.run(["uname", "-r"])).toMatchObject({ stdout: "6.12.0\n" });
  expect(await host.write("/proc/sys/kernel/osrelease", "7")).toMatchObject({ code: "EACCES" });
});

test("CPUs are divided among memory nodes", async () => {
  const host = machine(machineBase({ ...smallMachine, cpus: 5, numaNodes: 2 }));
  const folder = "/sys/devices/system/node";
  expect(await host.read(`${folder}/online`)).toEqual({ type: "text", text: "0-1\n" });
  expect(await host.read(`${folder}/node0/cpulist`)).toEqual({ type: "text", text: "0-1\n" });
  expect(await host.read(`${folder}/node1/cpulist`)).toEqual({ type: "text", text: "2-4\n" });
});

test.each([
  ["uname -r", "6.12.0\n"],
  ["uname -m", "aarch64\n"],
  ["uname -snrvm", "Linux localhost 6.12.0 #1 SMP aarch64\n"],
  ["uname", "Linux\n"],
])("%s prints %j", async (words, stdout) => {
  const host = machine(machineBase({ ...smallMachine, architecture: "arm64" }));
  expect(await host.run(words.split(" "))).toMatchObject({ code: 0, stdout });
});

test("lscpu prints what the files contain", async () => {
  const host = machine(machineBase({ ...smallMachine, cpus: 8, sockets: 2, threadsPerCore: 2 }));
  const found = await host.run(["lscpu"]);
  const lines = found.type === "exited" ? found.stdout.trimEnd().split("\n") : [];
  expect(lines.map((line) => line.replace(/: +/, ": "))).toEqual([
    "Architecture: x86_64",
    "CPU(s): 8",
    "On-line CPU(s) list: 0-7",
    "Vendor ID: GenuineIntel",
    "Thread(s) per core: 2",
    "Core(s) per socket: 2",
    "Socket(s): 2",
    "NUMA node(s): 2",
  ]);
});

test.each([
  ["ethtool -l eth7", "no device eth7"],
  ["ethtool -L eth0 combined 5", "not supported"],
  ["ethtool -L eth0 rx 1", "not supported"],
  ["ethtool -c eth0", "not supported"],
])("%s is rejected", async (words, why) => {
  const result = await machine(base).run(words.split(" "));
  expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining(why) as string });
});

test("two machines have different boot ids", async () => {
  const [a, b] = [machine(base), machine(base)];
  expect(await a.read("/proc/sys/kernel/random/boot_id")).not.toEqual(await b.read("/proc/sys/kernel/random/boot_id"));
});

test.each(["openshift", "openshift-node", "openshift-control-plane"])(
  "the base profile %s applies to a machine without a failure",
  async (tunedProfile) => {
    const host = machine(base);
    const resolution = await resolveSpec({ config: { tunedProfile } }, host);
    if (resolution.type !== "resolved") throw new Error(JSON.stringify(resolution));
    expect(resolution.profile.warnings).toEqual([]);
    const profile = await placeBaseScripts(resolution.profile, host);
    const { settings } = await nativeEngine().apply(profile, host, resolution.options);
    expect(settings.filter(({ type }) => type === "failed")).toEqual([]);
    expect(settings.some(({ type }) => type === "set")).toBe(true);
  },
);

test.each(["amd64", "arm64"] as const)(
  "the profile of a PerformanceProfile applies to a machine with two sockets without a failure: %s",
  async (architecture) => {
    const read = readFacts({
      apiVersion,
      kind: "PerformanceProfile",
      metadata: { name: "rt" },
      spec: {
        cpu: { reserved: "0,4", isolated: "1-3,5-7" },
        net: { userLevelNetworking: true },
        nodeSelector: { "node-role.kubernetes.io/worker": "" },
      },
    });
    if (read.type !== "facts") throw new Error(JSON.stringify(read.findings));
    const { spec = {} } = tunedOf({ facts: read.facts, partitioning: "None", mixedCpusAllowed: false });
    const config = { tunedProfile: spec.recommend?.[0]?.profile ?? "" };
    const host = machine(machineBase({ ...smallMachine, architecture, cpus: 8, sockets: 2, threadsPerCore: 2 }));
    const resolution = await resolveSpec({ config, profile: spec.profile ?? [] }, host);
    if (resolution.type !== "resolved") throw new Error(JSON.stringify(resolution));
    expect(resolution.profile.warnings).toEqual([]);
    const profile = await placeBaseScripts(resolution.profile, host);
    const { settings } = await nativeEngine().apply(profile, host, resolution.options);
    expect(settings.filter(({ type }) => type === "failed")).toEqual([]);
    const shows = async (...argv: string[]): Promise<string> => {
      const result = await host.run(argv);
      return result.type === "exited" ? result.stdout.trim() : result.message;
    };
    const mask = ["cat", "/sys/devices/virtual/workqueue/writeback/cpumask"];
    expect(await shows(...mask)).toBe("00000011");
    expect(await shows("ethtool", "-l", "eth0")).toMatch(/Combined:\t2$/);
    expect(await shows("systemctl", "is-active", "stalld")).toBe("active");
    await nativeEngine().rollback(host);
    expect(await shows(...mask)).toBe("000000ff");
    expect(await shows("ethtool", "-l", "eth0")).toMatch(/Combined:\t8$/);
    expect(await shows("systemctl", "is-active", "stalld")).toBe("inactive");
  },
);
