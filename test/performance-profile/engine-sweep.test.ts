import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatFinding } from "../../src/domain/finding.ts";
import type { Tuned } from "../../src/domain/node-tuning/api.ts";
import { isPossible, possibleArguments } from "../../src/domain/node-tuning/boot/possible-arguments.ts";
import { readFacts } from "../../src/domain/performance-profile/read-facts.ts";
import { tunedOf } from "../../src/domain/performance-profile/tuned.ts";
import type { ProfileFacts } from "../../src/domain/performance-profile/profile-facts.ts";
import { inputOf } from "../../src/domain/performance-profile/testing/facts.ts";
import { type MachineBase, machineBase } from "../../src/embedded/lab/machine-base.ts";
import { machine } from "../../src/embedded/lab/machine.ts";
import type { ApplyReport, Difference } from "../../src/node/engine/engine.ts";
import { nativeEngine } from "../../src/node/engine/native-engine.ts";
import type { MemoryCommand, MemoryHost } from "../../src/node/host/memory-host.ts";
import { placeBaseScripts } from "../../src/node/on-node/place-base-scripts.ts";
import { resolveSpec } from "../../src/node/on-node/resolve-spec.ts";
import { type ArbitraryProfile, arbitraryProfile } from "./arbitrary-profile.ts";

const kinds = {
  intel: { architecture: "amd64", kernelRelease: "5.14.0-570.el9", vendor: "GenuineIntel" },
  amd: { architecture: "amd64", kernelRelease: "5.14.0-570.el9", vendor: "AuthenticAMD" },
  "real time": { architecture: "amd64", kernelRelease: "5.14.0-570.rt14.el9", vendor: "GenuineIntel" },
  arm: { architecture: "arm64", kernelRelease: "5.14.0-570.el9", vendor: "ARM" },
} as const;
type NodeKind = keyof typeof kinds;

const bases = new Map<string, MachineBase>();

function baseOf(kind: NodeKind, cpus: number): MachineBase {
  const key = `${kind} ${cpus}`;
  const { architecture, kernelRelease } = kinds[kind];
  const base = bases.get(key) ?? machineBase({ cpus, memoryMiB: 65_536, architecture, kernelRelease });
  bases.set(key, base);
  return base;
}

/** A virtual machine, and what a real node has besides. */
function nodeOf(kind: NodeKind, cpus: number): MemoryHost {
  const perl: MemoryCommand = () => ({ type: "exited", code: 0, stdout: "", stderr: "" });
  const host = machine(baseOf(kind, cpus), "boot-1", [["perl", perl]]);
  const files: [string, string][] = [
    ["/proc/cpuinfo", `vendor_id\t: ${kinds[kind].vendor}\nflags\t: hwp hwp_epp\n`],
    ["/etc/grub.d/00_tuned", "x"],
    ["/boot/grub/grub.cfg", "### END /etc/grub.d/00_header ###\nmenuentry a {\n  linux /vmlinuz\n}\n"],
    ["/etc/systemd/system.conf", "[Manager]\n"],
    ["/etc/sysconfig/irqbalance", "FOO=1\n"],
    ["/dev/cpu_dma_latency", ""],
    ["/sys/fs/selinux/avc/cache_threshold", "512\n"],
    ["/proc/irq/default_smp_affinity", "1\n"],
    ["/proc/irq/9/smp_affinity", "1\n"],
    ["/proc/interrupts", "  9:  0  acpi\n"],
    ["/sys/class/net/eno1/ifindex", "3\n"],
    ["/sys/class/net/ens5/ifindex", "4\n"],
  ];
  for (const [path, text] of files) host.put(path, text);
  return host;
}

function factsOf({ profile }: Pick<ArbitraryProfile, "profile">): ProfileFacts {
  const read = readFacts(profile);
  if (read.type === "unusable") throw new Error(read.findings.map(formatFinding).join("; "));
  return read.facts;
}

/** Rounded up, so that few bases serve all profiles. */
function cpusFor({ cpus }: ProfileFacts): number {
  const named = Object.values(cpus).flatMap((pool) => pool?.cpus ?? []);
  return Math.ceil((Math.max(...named) + 1) / 16) * 16;
}

interface Tuning {
  readonly report: ApplyReport;
  /** After the restart that boot arguments need. */
  readonly differences: readonly Difference[];
}

/** What the agent does with the Profile that the operator makes of the Tuned. */
async function tuned(of: Tuned, host: MemoryHost): Promise<Tuning> {
  const config = { tunedProfile: of.spec?.recommend?.[0]?.profile ?? "" };
  const spec = { config, profile: [...(of.spec?.profile ?? [])] };
  const resolution = await resolveSpec(spec, host);
  if (resolution.type === "invalid") throw new Error(JSON.stringify(resolution.problems));
  const line = resolution.profile.bootArguments.join(" ");
  // The operator takes what the agent reports, and nothing beside it.
  const bounds = possibleArguments(spec);
  expect([line, isPossible(line, bounds)]).toEqual([line, true]);
  const [first = "", ...others] = line.split(" ");
  const forged = [
    `${line} init=/x`,
    "",
    line.replace("rcu_nocbs=", "rcu_nocbs=0,"),
    [...others, first].join(" "),
    [first, ...others.toReversed()].join(" "),
  ];
  expect(forged.filter((other) => isPossible(other, bounds))).toEqual([]);
  const profile = await placeBaseScripts(resolution.profile, host);
  expect(profile.warnings).toEqual([]);
  const engine = nativeEngine();
  const report = await engine.apply(profile, host, resolution.options);
  host.put("/proc/cmdline", `root=/dev/vda1 ${profile.bootArguments.join(" ")}\n`);
  const { differences } = await engine.verify(profile, host, resolution.options);
  return { report, differences };
}

/** Warnings that say what the node has not; none of them is about the profile. */
const absent = /^(no matching devices available|matches no file)$/;

function refusals({ settings }: ApplyReport): string[] {
  return settings.flatMap((setting) => {
    if (setting.type !== "failed" && !(setting.type === "skipped" && setting.level === "warning")) return [];
    return setting.type === "skipped" && absent.test(setting.message)
      ? []
      : [`[${setting.unit}] ${setting.option}: ${setting.message}`];
  });
}

describe("every derived profile", () => {
  const kind = fc.constantFrom<NodeKind>("intel", "amd", "real time", "arm");

  it("is applied and verified by our own engine, with no setting refused", { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryProfile(), kind, async (given, on) => {
        const facts = factsOf(given);
        const { report, differences } = await tuned(tunedOf({ facts, ...given.cluster }), nodeOf(on, cpusFor(facts)));
        expect(refusals(report)).toEqual([]);
        expect(differences).toEqual([]);
      }),
      { numRuns: process.env["ATTUNE_LONG"] ? 500 : 100 },
    );
  });

  it("that excludes a network card tunes the others", async () => {
    const devices = [{ interfaceName: "!eno1" }];
    const input = inputOf({ net: { userLevelNetworking: true, devices } });
    const host = nodeOf("intel", 16);
    const { report } = await tuned(tunedOf(input), host);
    expect(refusals(report)).toEqual([]);
    const cards = report.settings.flatMap(({ unit, device }) =>
      unit === "net" && device !== undefined ? [device] : [],
    );
    expect([...new Set(cards)].toSorted()).toEqual(["ens5", "eth0"]);
  });
});
