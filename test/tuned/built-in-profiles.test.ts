import { describe, expect, test } from "vitest";
import { machineBase } from "../../src/embedded/lab/machine-base.ts";
import { machine } from "../../src/embedded/lab/machine.ts";
import { baseProfiles } from "../../src/language/tuned/profiles/base-profiles.ts";
import type { ResolvedProfile } from "../../src/language/tuned/resolve.ts";
import { unquote } from "../../src/language/tuned/value.ts";
import { nativeEngine } from "../../src/node/engine/native-engine.ts";
import type { MemoryCommand, MemoryHost } from "../../src/node/host/memory-host.ts";
import { placeBaseScripts } from "../../src/node/on-node/place-base-scripts.ts";
import { resolveSpec } from "../../src/node/on-node/resolve-spec.ts";

const base = machineBase({ cpus: 8, memoryMiB: 16_384, architecture: "amd64", kernelRelease: "6.12.0" });
const prints =
  (stdout: string): MemoryCommand =>
  () => ({ type: "exited", code: 0, stdout, stderr: "" });
const programs = new Map<string, MemoryCommand>([
  ...["perl", "modinfo", "modprobe", "cpio", "sh", "mkdir", "rm"].map((name) => [name, prints("")] as const),
  ["nproc", prints("8\n")],
]);

/** A virtual machine with the hardware that built-in profiles tune. */
function node(): MemoryHost {
  const host = machine(base, "boot-1", programs);
  for (const [path, text] of [
    ["/etc/grub.d/00_tuned", "x"],
    ["/boot/grub/grub.cfg", "### END /etc/grub.d/00_header ###\nmenuentry a {\n  linux /vmlinuz\n}\n"],
    ["/etc/systemd/system.conf", "[Manager]\n"],
    ["/dev/cpu_dma_latency", ""],
    ["/sys/fs/selinux/avc/cache_threshold", "512\n"],
    ["/proc/irq/default_smp_affinity", "1\n"],
    ["/proc/interrupts", ""],
    ["/sys/firmware/acpi/platform_profile", "custom\n"],
    ["/sys/firmware/acpi/platform_profile_choices", "low-power balanced performance\n"],
    ["/sys/class/platform-profile/platform-profile-0/profile", "balanced\n"],
    ["/sys/module/haltpoll/parameters/guest_halt_poll_ns", "200000\n"],
    ["/sys/module/cpuidle_haltpoll/refcnt", "0\n"],
    ["/sys/module/cpufreq_conservative/refcnt", "0\n"],
    ["/sys/kernel/debug/sched/base_slice_ns", "3000000\n"],
    ["/sys/kernel/debug/sched/migration_cost_ns", "500000\n"],
  ] as const)
    host.put(path, text);
  return host;
}

/** The profile's sysctls. Those that the virtual machine lacks are added, as the kernel prints them: with tabs. */
async function sysctlsOf({ units }: ResolvedProfile, host: MemoryHost): Promise<string[]> {
  const options = units.flatMap((unit) => (unit.type === "sysctl" ? [...unit.options] : []));
  const paths: string[] = [];
  for (const [key, { value }] of options) {
    const path = `/proc/sys/${key.replaceAll(".", "/")}`;
    const numbers = unquote(value)
      .split(" ")
      .map((_, index) => index);
    if ((await host.read(path)).type === "missing") host.put(path, `${numbers.join("\t")}\n`);
    paths.push(path);
  }
  return paths;
}

describe("a built-in profile is applied, verified and rolled back by our own engine, with no setting refused:", () => {
  test.each([...baseProfiles().keys()])("%s", async (name) => {
    const host = node();
    const resolution = await resolveSpec({ config: { tunedProfile: name }, profile: [] }, host);
    if (resolution.type === "invalid") throw new Error(JSON.stringify(resolution.problems));
    const profile = await placeBaseScripts(resolution.profile, host);
    const before = new Map<string, unknown>();
    for (const path of await sysctlsOf(profile, host)) before.set(path, await host.read(path));

    const engine = nativeEngine();
    const { settings } = await engine.apply(profile, host, resolution.options);
    expect(settings.filter(({ type }) => type === "failed")).toEqual([]);
    host.put("/proc/cmdline", `root=/dev/vda1 ${profile.bootArguments.join(" ")}\n`);
    expect((await engine.verify(profile, host, resolution.options)).differences).toEqual([]);

    const { restored } = await engine.rollback(host);
    expect(restored.filter(({ failed }) => failed !== undefined)).toEqual([]);
    for (const [path, text] of before) expect([path, await host.read(path)]).toEqual([path, text]);
  });
});
