import { describe, expect, it } from "vitest";
import { derive } from "../../src/domain/performance-profile/derive.ts";
import { readFacts } from "../../src/domain/performance-profile/read-facts.ts";
import { profileOf } from "../../src/domain/performance-profile/testing/facts.ts";
import type { PartitioningMode } from "../../src/domain/workload-partitioning/identifier.ts";
import { crioPinning, kubeletPinning } from "../../src/domain/workload-partitioning/pinning-files.ts";
import { filesOf } from "../../src/language/ignition/config.ts";
import { at } from "../../src/language/object/json.ts";
import { fixture } from "./cases.ts";
import { installationDifferences } from "./differences.ts";

interface PinningFile {
  readonly reserved: string;
  readonly kind: "crio" | "kubelet";
  readonly base64: string;
}

interface ProfileCase {
  /** Undefined: the profile has none. */
  readonly cpu?: Readonly<Record<string, string>>;
  readonly mixed?: boolean;
  /** Whether the kubelet keeps all pods off the reserved CPUs. */
  readonly strict?: boolean;
  readonly mode: PartitioningMode;
  /** By path; null: there is no such file. */
  readonly files?: Readonly<Record<string, string | null>>;
  readonly kubelet?: string;
  readonly refused?: string;
}

const { pinningFiles, profiles } = fixture<{
  readonly pinningFiles: Readonly<Record<string, PinningFile>>;
  readonly profiles: Readonly<Record<string, ProfileCase>>;
}>("nto-workload-pinning");
const text = (base64: string): string => Buffer.from(base64, "base64").toString();

it.each(Object.entries(pinningFiles))("the recorded file %s", (_, { reserved, kind, base64 }) => {
  expect((kind === "crio" ? crioPinning : kubeletPinning)(reserved)).toBe(text(base64));
});

describe("recorded profiles", () => {
  it.each(Object.entries(profiles))("%s", (id, { cpu, mixed = false, strict, mode, files = {}, kubelet, refused }) => {
    const options = { cpuManagerPolicyOptions: { "strict-cpu-reservation": "true" } };
    const annotations = strict ? { "kubeletconfig.experimental": JSON.stringify(options) } : {};
    const spec = { cpu: cpu as never, ...(mixed ? { workloadHints: { mixedCpus: true } } : {}) };
    const read = readFacts(profileOf(spec, { name: "test", annotations }));
    const derived =
      read.type === "unusable"
        ? ({ type: "refused", findings: read.findings } as const)
        : derive({ facts: read.facts, partitioning: mode, mixedCpusAllowed: mixed });
    if (derived.type === "refused") {
      expect(derived.findings.map(({ name, field }) => (refused === name ? name : field))).toContain(refused);
      return;
    }
    expect(refused).toBeUndefined();
    const { machineConfig, kubeletConfig } = derived;
    expect(machineConfig.metadata.name).toBe("50-performance-test");
    const made = new Map(filesOf(machineConfig.spec?.config).map((file) => [file.path, file]));
    for (const [path, base64] of Object.entries(files)) {
      const file = made.get(path);
      if (base64 === null) expect(file).toBeUndefined();
      else if (id in installationDifferences) {
        expect(file?.contents?.source).not.toBe(dataUrl(base64));
        expect(JSON.parse(text(file?.contents?.source?.split(",")[1] ?? ""))).toEqual(JSON.parse(text(base64)));
      } else expect([file?.mode, file?.contents?.source]).toEqual([0o644, dataUrl(base64)]);
    }
    if (kubelet !== undefined) expect(at(kubeletConfig, "spec", "kubeletConfig", "reservedSystemCPUs")).toBe(kubelet);
  });
});

const dataUrl = (base64: string): string => `data:text/plain;charset=utf-8;base64,${base64}`;
