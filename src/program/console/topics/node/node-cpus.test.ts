import { describe, expect, it } from "vitest";
import type { CpusInForce, Profile } from "../../../../domain/node-tuning/api.ts";
import { keys } from "../../../../domain/hosted/protocol.ts";
import type { PerformanceProfile } from "../../../../domain/performance-profile/api.ts";
import { recordAnnotation, type TuningInputs } from "../../../../domain/scylla/on-node/tuning.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { nodeCpus } from "./node-cpus.ts";

const none = { labels: { role: "" }, profile: undefined, performanceProfiles: [], jobs: [] };

function profileWith(cores: string[], cpus?: CpusInForce, offline = "2"): Profile {
  const hardware = { numaNodes: [{ id: 0, cores }], offline };
  return {
    apiVersion: "tuned.openshift.io/v1",
    kind: "Profile",
    metadata: { name: "n" },
    spec: { config: { tunedProfile: "p" } },
    status: { tunedProfile: "p", hardware, ...(cpus ? { cpus } : {}) },
  };
}

function dividing(name: string, nodeSelector: Record<string, string>, cpu: object): PerformanceProfile {
  return {
    apiVersion: "performance.openshift.io/v2",
    kind: "PerformanceProfile",
    metadata: { name },
    spec: { nodeSelector, cpu },
  };
}

function job(
  sequence: number,
  { done = true, purpose = "databases" }: { done?: boolean; purpose?: TuningInputs["purpose"] } = {},
): KubeObject {
  const inputs = { purpose, bootId: "", cpus: "0-7", irqCpus: "0-1", interfaces: [], directories: [], devices: [] };
  const pods = { a: { cpus: "2-3", devices: [] }, b: { cpus: `${sequence}`, devices: [] } };
  const record = JSON.stringify({ inputs, sequence, attempt: 1, pods });
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: `j${sequence}`, annotations: { [recordAnnotation]: record } },
    status: { conditions: done ? [{ type: "Complete", status: "True" }] : [] },
  };
}

describe("the CPUs of a node", () => {
  it("are not known without a report", () => {
    expect(nodeCpus(none)).toEqual({ sets: {} });
  });

  it("are not drawn of half a topology", () => {
    expect(nodeCpus({ ...none, profile: profileWith(["0/0:0", "nonsense"]) })).toEqual({ sets: {} });
  });

  it("are divided by the PerformanceProfile that selects the node, without sets that cannot be read", () => {
    const performanceProfiles = [
      dividing("other", { gpu: "" }, { reserved: "7" }),
      dividing("mine", { role: "" }, { reserved: "0", isolated: "1-3", shared: "x" }),
    ];
    expect(nodeCpus({ ...none, profile: profileWith(["0/0:0-1"]), performanceProfiles })).toEqual({
      topology: { numaNodes: [{ id: 0, cores: ["0/0:0-1"] }], offline: "2" },
      caches: [],
      profile: "mine",
      sets: { reserved: "0", isolated: "1-3" },
      unreported: true,
    });
  });

  describe("where the node reports them", () => {
    const cores = ["0/0:0-1", "0/1:2-3", "0/2:4-5", "0/3:6-7"];
    const found = (cpus: CpusInForce, wanted: object | undefined, offline = "") =>
      nodeCpus({
        ...none,
        profile: profileWith(cores, cpus, offline),
        performanceProfiles: wanted ? [dividing("mine", { role: "" }, wanted)] : [],
      });
    const old = { isolated: "4-7", reserved: "0-3", shared: "", irq: "0-7" };

    it("are those in force, whatever the way in which the profile writes them", () => {
      const { sets, wanted, unreported, irq } = found(old, { reserved: "0,1,2-3", isolated: "4,5,6,7" });
      expect({ sets, wanted, unreported, irq }).toEqual({ sets: { reserved: "0-3", isolated: "4-7" } });
    });

    it("stay those in force after an edit of the profile, which is named beside them", () => {
      expect(found(old, { reserved: "0-1", isolated: "2-7" })).toMatchObject({
        sets: { reserved: "0-3", isolated: "4-7" },
        wanted: { reserved: "0-1", isolated: "2-7" },
      });
    });

    it("are in force without a profile too", () => {
      expect(found({ isolated: "6", irq: "0-5" }, undefined)).toMatchObject({
        sets: { reserved: "0-5,7", isolated: "6" },
        irq: "0-5",
      });
    });

    it("have CPUs that kernel and kubelet keep for OVS-DPDK, and shared ones that the kubelet reserves too", () => {
      const mixed = { isolated: "4-7", reserved: "0-3,7", shared: "2-3" };
      const { sets, wanted } = found(mixed, { reserved: "0-1", shared: "2-3", isolated: "4-6", ovsDpdk: "7" });
      expect({ sets, wanted }).toEqual({ sets: { reserved: "0-1", shared: "2-3", isolated: "4-6", ovsDpdk: "7" } });
    });

    it("do not differ for CPUs that this machine does not have, but for those that are off", () => {
      expect(found(old, { reserved: "0-3", isolated: "4-15" }).wanted).toBeUndefined();
      expect(found(old, { reserved: "0-3", isolated: "4-8" }, "8").wanted).toEqual({
        reserved: "0-3",
        isolated: "4-8",
      });
    });

    it("are the wanted ones where the node says nothing of its kernel", () => {
      expect(found({ reserved: "0" }, { reserved: "0-3" })).toMatchObject({
        sets: { reserved: "0-3" },
        unreported: true,
      });
    });
  });

  it("of a NodePool have the profile that the Tuned of the node is derived from: a hosted cluster has no other sign of it", () => {
    const labels = { [keys.nodePool]: "np1" };
    const given = profileWith(["0/0:0-1"]);
    const profile = { ...given, spec: { ...given.spec, config: { tunedProfile: "openshift-node-performance-quick" } } };
    expect(nodeCpus({ ...none, labels, profile }).profile).toBe("quick");
    expect(nodeCpus({ ...none, labels, profile: given }).profile).toBeUndefined();
    expect(nodeCpus({ ...none, profile }).profile).toBeUndefined();
  });

  it("are those of databases by the last Job that succeeded", () => {
    const jobs = [job(6), job(5), job(7, { done: false })];
    expect(nodeCpus({ ...none, jobs })).toEqual({ sets: { scylla: "2-3,6" }, irq: "0-1" });
  });

  it("are those of no database after the last one has gone", () => {
    expect(nodeCpus({ ...none, jobs: [job(5), job(6, { purpose: "return" })] })).toEqual({ sets: {} });
  });
});
