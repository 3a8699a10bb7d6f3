import { describe, expect, it } from "vitest";
import { mixedCpusAllowed } from "./mixed-cpus-allowed.ts";

const name = "MixedCPUsAllocation";

describe("mixed CPUs", () => {
  it.each<[boolean, object]>([
    [false, {}],
    [false, { spec: { featureSet: "" } }],
    [false, { spec: null, status: null }],
    [true, { spec: { featureSet: "TechPreviewNoUpgrade" } }],
    [true, { spec: { featureSet: "DevPreviewNoUpgrade" } }],
    [true, { spec: { featureSet: "CustomNoUpgrade", customNoUpgrade: { enabled: ["Other", name] } } }],
    [false, { spec: { featureSet: "CustomNoUpgrade", customNoUpgrade: { enabled: ["Other"], disabled: [name] } } }],
    [true, { status: { featureGates: [{ version: "1", enabled: [{ name: "Other" }, { name }] }] } }],
    [false, { status: { featureGates: [{ version: "1", disabled: [{ name }] }, "odd", { enabled: "odd" }] } }],
    [
      false,
      {
        spec: { featureSet: "TechPreviewNoUpgrade" },
        status: { featureGates: [{ version: "1", enabled: [], disabled: [{ name }] }] },
      },
    ],
  ])("are allowed: %s, by %j", (allowed, gate) => {
    expect(mixedCpusAllowed({ apiVersion: "", kind: "", metadata: {}, ...gate })).toBe(allowed);
  });

  it("are not allowed without a FeatureGate", () => {
    expect(mixedCpusAllowed(undefined)).toBe(false);
  });
});
