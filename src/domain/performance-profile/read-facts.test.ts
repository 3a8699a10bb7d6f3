import { describe, expect, it } from "vitest";
import { set } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { annotations, apiVersion } from "./api.ts";
import { formatFinding } from "../finding.ts";
import { readFacts } from "./read-facts.ts";

const selector = { "node-role.kubernetes.io/worker-cnf": "" };
const least = { cpu: { reserved: "0-1", isolated: "2-7" }, nodeSelector: selector };

function profile(spec: unknown = least, said: Record<string, unknown> = {}): KubeObject {
  const metadata = { name: "low-latency", annotations: said } as KubeObject["metadata"];
  return { apiVersion, kind: "PerformanceProfile", metadata, spec };
}

function facts(spec: unknown, said: Record<string, unknown> = {}) {
  const read = readFacts(profile(spec, said));
  if (read.type !== "facts") throw new Error(read.findings.map(formatFinding).join("; "));
  return read.facts;
}

function findings(object: KubeObject) {
  const read = readFacts(object);
  return read.type === "unusable" ? read.findings.map(({ name, field, severity }) => [severity, name, field]) : [];
}

describe("a minimal profile", () => {
  it("has every default set", () => {
    expect(facts(least)).toEqual({
      name: "low-latency",
      nodeSelector: selector,
      role: "worker-cnf",
      machineConfigLabels: { "machineconfiguration.openshift.io/role": "worker-cnf" },
      cpus: { reserved: { text: "0-1", cpus: [0, 1] }, isolated: { text: "2-7", cpus: [2, 3, 4, 5, 6, 7] } },
      balanceIsolated: true,
      hugepages: { pages: [] },
      kernelType: "default",
      additionalKernelArgs: [],
      topologyPolicy: "best-effort",
      irqsBanned: false,
      hints: { realTime: true, highPowerConsumption: false, perPodPowerManagement: false, mixedCpus: false },
      rps: "none",
      execAffinity: true,
      dra: false,
      ovsDpdkPartition: "member",
      kubelet: {},
      paused: false,
    });
  });

  it("may be null, which means unset", () => {
    const nulls = { hugepages: null, additionalKernelArgs: null, machineConfigLabel: null, net: { devices: null } };
    expect(facts({ ...least, ...nulls })).toEqual(facts(least));
  });
});

describe("annotations", () => {
  it.each([
    [annotations.rps, "true", { rps: "virtual" }],
    [annotations.rps, "enable", { rps: "virtual" }],
    [annotations.rps, "all", { rps: "none" }],
    [annotations.physicalRps, "true", { rps: "none" }],
    [annotations.execAffinity, "disable", { execAffinity: false }],
    [annotations.execAffinity, "Disable", { execAffinity: true }],
    [annotations.dra, "T", { dra: true }],
    [annotations.dra, "yes", { dra: false }],
    [annotations.ovsDpdkBalancing, "DISABLE", { ovsDpdkPartition: "isolated" }],
    [annotations.pause, "true", { paused: true }],
    [annotations.experimentalKubelet, '{"podPidsLimit":4096}', { kubelet: { podPidsLimit: 4096 } }],
  ])("%s: %s", (name, value, expected) => {
    expect(facts(least, { [name]: value })).toMatchObject(expected);
  });

  it("steer packets of physical cards too when both ask for it", () => {
    expect(facts(least, { [annotations.rps]: "true", [annotations.physicalRps]: "true" }).rps).toBe("all");
  });
});

describe("pages", () => {
  it.each([
    ["64k", 64],
    ["2M", 2048],
    ["32M", 32_768],
    ["512M", 524_288],
    ["1G", 1_048_576],
    ["16G", 16_777_216],
  ])("of %s are %i KiB large", (size, sizeKiB) => {
    const hugepages = { defaultHugepagesSize: size, pages: [{ size, count: 4, node: 1 }] };
    expect(facts({ ...least, hugepages }).hugepages).toEqual({
      defaultSize: size,
      pages: [{ size, sizeKiB, count: 4, node: 1 }],
    });
  });
});

describe("an unusable profile", () => {
  const cpu = least.cpu;
  it.each<[string, unknown, string, string]>([
    ["no spec", null, "FieldMissing", "spec"],
    ["a spec of another type", "2-7", "FieldMistyped", "spec"],
    ["a number for a set", { ...least, cpu: { ...cpu, isolated: 3 } }, "FieldMistyped", "spec.cpu.isolated"],
    ["no isolated CPUs", { ...least, cpu: { reserved: "0" } }, "FieldMissing", "spec.cpu.isolated"],
    ["an empty set", { ...least, cpu: { ...cpu, reserved: "" } }, "CpuPoolEmpty", "spec.cpu.reserved"],
    ["half a range", { ...least, cpu: { ...cpu, offlined: "8-" } }, "CpuListMalformed", "spec.cpu.offlined"],
    ["a CPU beyond all", { ...least, cpu: { ...cpu, shared: "0-99999999" } }, "CpuListMalformed", "spec.cpu.shared"],
    ["two labels", { ...least, nodeSelector: { "a/b": "", "a/c": "" } }, "RoleUnknown", "spec.nodeSelector"],
    ["a label without a role", { ...least, nodeSelector: { worker: "" } }, "RoleUnknown", "spec.nodeSelector"],
    [
      "one frequency",
      { ...least, hardwareTuning: { isolatedCpuFreq: 1 } },
      "FrequencyMissing",
      "spec.hardwareTuning.reservedCpuFreq",
    ],
    [
      "a policy of its own",
      { ...least, numa: { topologyPolicy: "Restricted" } },
      "TopologyPolicyUnknown",
      "spec.numa.topologyPolicy",
    ],
    ["pages of 8k", { ...least, kernelPageSize: "8k" }, "KernelPageSizeUnknown", "spec.kernelPageSize"],
    [
      "pages without a default",
      { ...least, hugepages: { pages: [{ size: "2M", count: 1 }] } },
      "HugepagesDefaultMissing",
      "spec.hugepages.defaultHugepagesSize",
    ],
    [
      "pages of no size",
      { ...least, hugepages: { defaultHugepagesSize: "1G", pages: [{ size: "1 G" }] } },
      "HugepageSizeMalformed",
      "spec.hugepages.pages[0].size",
    ],
    [
      "fewer pages than none",
      { ...least, hugepages: { defaultHugepagesSize: "1G", pages: [{ size: "1G", count: -1 }] } },
      "HugepagesNegative",
      "spec.hugepages.pages[0].count",
    ],
    [
      "two powers",
      { ...least, workloadHints: { highPowerConsumption: true, perPodPowerManagement: true } },
      "PowerHintsConflict",
      "spec.workloadHints",
    ],
    [
      "a line break in an argument",
      { ...least, additionalKernelArgs: ["a", "b\n[main]"] },
      "KernelArgumentMalformed",
      "spec.additionalKernelArgs[1]",
    ],
    [
      "a comment for an argument",
      { ...least, additionalKernelArgs: ["a", "#b"] },
      "KernelArgumentMalformed",
      "spec.additionalKernelArgs[1]",
    ],
    [
      "a pattern for a name",
      { ...least, net: { devices: [{ interfaceName: "eth(0" }] } },
      "DeviceMalformed",
      "spec.net.devices[0].interfaceName",
    ],
    [
      "a model without a vendor",
      { ...least, net: { devices: [{ deviceID: "0x1000" }] } },
      "DeviceWithoutVendor",
      "spec.net.devices[0].vendorID",
    ],
  ])("%s", (_, spec, name, field) => {
    expect(findings(profile(spec))).toContainEqual(["error", name, field]);
  });

  it.each([
    ["is no JSON", "{"],
    ["is no object", "[]"],
    ["has no bottom", `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`],
  ])("the kubelet's annotation %s", (_, text) => {
    const field = `metadata.annotations[${annotations.experimentalKubelet}]`;
    expect(findings(profile(least, { [annotations.experimentalKubelet]: text }))).toEqual([
      ["error", "KubeletAnnotationMalformed", field],
    ]);
  });

  it.each([
    ["../../etc/passwd", "NameInvalid"],
    ["", "FieldMissing"],
    ["n".repeat(215), "NameTooLong"],
  ])("the name %j", (name, finding) => {
    expect(findings({ ...profile(), metadata: { name } })).toContainEqual(["error", finding, "metadata.name"]);
  });

  it("all faults are reported at once", () => {
    const spec = { cpu: { reserved: "x", isolated: "" }, nodeSelector: {}, numa: { topologyPolicy: "?" } };
    expect(findings(profile(spec)).map(([, name]) => name)).toEqual([
      "CpuListMalformed",
      "RoleUnknown",
      "TopologyPolicyUnknown",
    ]);
  });

  it("names of inherited properties are ordinary ones", () => {
    const spec: Record<string, unknown> = { ...least };
    set(spec, "__proto__", { cpu: { reserved: "5" } });
    expect(facts(spec).cpus.reserved.text).toBe("0-1");
    expect(findings({ apiVersion, kind: "PerformanceProfile" } as unknown as KubeObject)).not.toEqual([]);
  });
});
