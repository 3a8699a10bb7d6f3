import { type CpuSet, difference, intersection, isSubset, union } from "../../src/language/cpu/cpu-set.ts";
import { parseCpuset } from "../../src/language/cpu/kubernetes-cpuset.ts";
import { filesOf, unitsOf } from "../../src/language/ignition/config.ts";
import { contentsOf } from "../../src/language/ignition/file-contents.ts";
import { at, equal } from "../../src/language/object/json.ts";
import { type DerivationInput, mixesCpus } from "../../src/domain/performance-profile/derivation.ts";
import type { Derivation } from "../../src/domain/performance-profile/derive.ts";
import { parseProfile } from "../../src/language/tuned/text/parse-profile.ts";

/** Where derived objects disagree on the pool of a CPU. Reads what nodes get, not the profile. */
export function cpuFaults(
  derived: Extract<Derivation, { type: "derived" }>,
  input: DerivationInput,
): readonly string[] {
  const { facts } = input;
  const { name = "", data = "" } = derived.tuned.spec?.profile?.[0] ?? {};
  const profile = parseProfile(data, name);
  const option = (section: string, key: string): string =>
    profile.sections.find((one) => one.name === section)?.options.find((one) => one.key === key)?.value ?? "";
  const config = derived.machineConfig.spec?.config;
  const files = filesOf(config);
  const offlineUnit = unitsOf(config).find(({ name }) => name === "set-cpus-offline.service")?.contents ?? "";
  const crio = contentsOf(files.find(({ path }) => path.endsWith("/99-runtimes.conf")) ?? { path: "" }) ?? "";

  const isolated = cpus(option("variables", "isolated_cores"));
  const irqs = cpus(option("bootloader", "cmdline_irqaffinity").replace("+irqaffinity=", ""));
  const offline = cpus(/OFFLINE_CPUS=([0-9,]*)/.exec(offlineUnit)?.[1] ?? "");
  const infra = cpus(/infra_ctr_cpuset = "(.*)"/.exec(crio)?.[1] ?? "");
  const shared = cpus(/shared_cpuset = "(.*)"/.exec(crio)?.[1] ?? "");
  const kubelet = at(derived.kubeletConfig, "spec", "kubeletConfig", "reservedSystemCPUs");
  const reserved = typeof kubelet === "string" ? cpus(kubelet) : undefined;
  const ovsDpdk = facts.cpus.ovsDpdk?.cpus ?? [];

  const rules: Record<string, boolean> = {
    "the profile can be read": profile.problems.length === 0,
    "workloads have CPUs": difference(isolated, ovsDpdk).length > 0,
    "the system has CPUs": infra.length > 0,
    "workloads' CPUs are not the system's": disjoint(isolated, infra),
    "workloads' CPUs are on": disjoint(isolated, offline),
    "the system's CPUs are on": disjoint(infra, offline) && disjoint(shared, offline),
    "shared CPUs are neither's": disjoint(shared, isolated) && disjoint(shared, infra),
    "the kubelet gives out what is isolated, and no CPU of OVS-DPDK's": facts.dra
      ? reserved === undefined
      : equal(intersection(reserved ?? [], isolated), ovsDpdk),
    "the kubelet keeps the CPUs of the system and the shared CPUs":
      facts.dra || equal(difference(reserved ?? [], ovsDpdk), union(infra, shared)),
    "the kubelet keeps nothing that is off": disjoint(reserved ?? [], offline),
    "OVS-DPDK is isolated": isSubset(ovsDpdk, isolated),
    "no interrupt disturbs OVS-DPDK":
      ovsDpdk.length > 0 ? irqs.length > 0 && disjoint(irqs, ovsDpdk) : irqs.length === 0,
    "CPUs are shared exactly where they are mixed": shared.length > 0 === mixesCpus(input),
  };
  return Object.entries(rules).flatMap(([rule, holds]) => (holds ? [] : [`it does not hold that ${rule}`]));
}

function cpus(text: string): CpuSet {
  const read = parseCpuset(text);
  if (read.type !== "cpus") throw new Error(`read CPUs ${JSON.stringify(text)}: ${read.type}`);
  return read.cpus;
}

function disjoint(a: CpuSet, b: CpuSet): boolean {
  return intersection(a, b).length === 0;
}
