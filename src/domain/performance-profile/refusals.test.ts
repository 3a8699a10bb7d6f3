import { describe, expect, it } from "vitest";
import { annotations, type PerformanceProfileSpec } from "./api.ts";
import type { DerivationInput } from "./derivation.ts";
import { derive } from "./derive.ts";
import { formatFinding } from "../finding.ts";
import { inputOf } from "./testing/facts.ts";

const { dra, experimentalKubelet } = annotations;
const restricted = { numa: { topologyPolicy: "restricted" } };
const mixed = { cpu: { reserved: "0", isolated: "1-2", shared: "3" }, workloadHints: { mixedCpus: true } };
const dpdk = { cpu: { reserved: "0", isolated: "1-2", ovsDpdk: "3" } };
const strict = '{"cpuManagerPolicyOptions":{"strict-cpu-reservation":"true"}}';
const percentage = '{"evictionHard":{"memory.available":"5%"}}';
const bare = {
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfigPool",
  metadata: { name: "bare" },
};
const foreign: PerformanceProfileSpec = { nodeSelector: { fast: "" }, machineConfigLabel: { fast: "" } };

type Case = [string, PerformanceProfileSpec, Record<string, string>, Partial<DerivationInput>];

describe("nothing is derived", () => {
  it.each<[...Case, string, string]>([
    [
      "from mixed CPUs that no kubelet gives out",
      mixed,
      { [dra]: "true" },
      { mixedCpusAllowed: true },
      "MixedCpusWithDra",
      "spec.workloadHints.mixedCpus",
    ],
    [
      "from a share of memory that is to be added up",
      restricted,
      { [experimentalKubelet]: percentage },
      {},
      "MemoryNotSummable",
      `metadata.annotations[${experimentalKubelet}].evictionHard[memory.available]`,
    ],
    ["from OVS-DPDK beside ordinary pods", dpdk, {}, {}, "OvsDpdkUnprotected", "spec.cpu.ovsDpdk"],
    [
      "from OVS-DPDK without protection under dynamic resource allocation",
      dpdk,
      { [experimentalKubelet]: strict, [dra]: "1" },
      {},
      "OvsDpdkUnprotected",
      "spec.cpu.ovsDpdk",
    ],
    ["for a pool that has no labels", {}, {}, { pool: bare }, "PoolNotSelectable", "spec.machineConfigPoolSelector"],
    ["for an unknown pool", foreign, {}, {}, "PoolNotSelectable", "spec.machineConfigPoolSelector"],
  ])("%s", (_, spec, annotations, cluster, name, field) => {
    const derived = derive(inputOf(spec, { annotations, cluster }));
    expect(derived).toMatchObject({ type: "refused", findings: [{ severity: "error", name, field }] });
  });

  it("without saying what would help", () => {
    const derived = derive(inputOf(restricted, { annotations: { [experimentalKubelet]: percentage } }));
    expect(derived.type === "refused" && derived.findings.map(formatFinding)).toEqual([
      'metadata.annotations[kubeletconfig.experimental].evictionHard[memory.available]: Invalid value: "5%": with topology policy restricted the sum of reserved memory must be known: write an amount such as 100Mi, or give reservedMemory',
    ]);
  });
});

describe("objects are derived", () => {
  it.each<Case>([
    ["from mixed CPUs that the cluster does not allow anyway", mixed, { [dra]: "true" }, {}],
    ["from a percentage of memory that is not added up", {}, { [experimentalKubelet]: percentage }, {}],
    [
      "from a share of memory where a driver does",
      restricted,
      { [experimentalKubelet]: percentage, [dra]: "true" },
      {},
    ],
    ["from OVS-DPDK on a partitioned cluster", dpdk, {}, { partitioning: "AllNodes" }],
    ["from OVS-DPDK that the kubelet protects", dpdk, { [experimentalKubelet]: strict }, {}],
    ["from OVS-DPDK without CPUs", { cpu: { ...dpdk.cpu, ovsDpdk: "" } }, {}, {}],
    [
      "for a pool without labels that is asked for by others",
      { machineConfigPoolSelector: { a: "" } },
      {},
      { pool: bare },
    ],
  ])("%s", (_, spec, annotations, cluster) => {
    expect(derive(inputOf(spec, { annotations, cluster })).type).toBe("derived");
  });
});
