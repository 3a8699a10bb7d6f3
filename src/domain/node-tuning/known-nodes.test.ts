import { describe, expect, it } from "vitest";
import { type Probe, probeKey } from "../../language/tuned/probe.ts";
import { knownAnswers, type NodeTraits } from "./known-nodes.ts";

const kernel: Probe = { type: "exec", argv: ["uname", "-r"] };
const lscpu: Probe = { type: "exec", argv: ["lscpu"] };
const file = (path: string): Probe => ({ type: "file", path });

describe("what a node would answer", () => {
  it.each<[string, NodeTraits, Probe, string]>([
    ["its kernel", { kernelRelease: "6.12.0+rt" }, kernel, "6.12.0+rt\n"],
    [
      "Intel's",
      { architecture: "amd64", vendor: "GenuineIntel" },
      lscpu,
      "Architecture: x86_64\nVendor ID: GenuineIntel\n",
    ],
    ["Arm's", { architecture: "arm64" }, lscpu, "Architecture: aarch64\n"],
    ["its counters", { pmuName: "icelake" }, file("/sys/devices/cpu/caps/pmu_name"), "icelake\n"],
    ["its CPUs", { present: [0, 1, 2, 3] }, file("/sys/devices/system/cpu/online"), "0-3\n"],
    ["those that are on", { present: [0, 1, 2, 3], offline: [3] }, file("/sys/devices/system/cpu/online"), "0-2\n"],
    ["those that are there", { present: [0, 1, 2, 3], offline: [3] }, file("/sys/devices/system/cpu/present"), "0-3\n"],
  ])("is known of %s", (_, traits, probe, text) => {
    expect(knownAnswers(traits).get(probeKey(probe))).toEqual({ type: "text", text });
  });

  it.each<[string, NodeTraits]>([
    ["nothing", {}],
    ["x86 without its vendor", { architecture: "amd64" }],
    ["a vendor without a machine", { vendor: "GenuineIntel" }],
    ["a machine that no profile knows", { architecture: "s390x", vendor: "IBM/S390" }],
  ])("stays open where %s is known", (_, traits) => {
    expect(knownAnswers(traits).size).toBe(0);
  });
});
