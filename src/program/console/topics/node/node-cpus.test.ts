import { describe, expect, it } from "vitest";
import type { Profile } from "../../../../domain/node-tuning/api.ts";
import type { PerformanceProfile } from "../../../../domain/performance-profile/api.ts";
import { recordAnnotation, type TuningInputs } from "../../../../domain/scylla/on-node/tuning.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { nodeCpus } from "./node-cpus.ts";

const none = { labels: { role: "" }, profile: undefined, performanceProfiles: [], jobs: [] };

function profileWith(cores: string[]): Profile {
  const hardware = { numaNodes: [{ id: 0, cores }], offline: "2" };
  return {
    apiVersion: "tuned.openshift.io/v1",
    kind: "Profile",
    metadata: { name: "n" },
    spec: { config: { tunedProfile: "p" } },
    status: { tunedProfile: "p", hardware },
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
    });
  });

  it("are those of databases by the last Job that succeeded", () => {
    const jobs = [job(6), job(5), job(7, { done: false })];
    expect(nodeCpus({ ...none, jobs })).toEqual({ sets: { scylla: "2-3,6" }, irq: "0-1" });
  });

  it("are those of no database after the last one has gone", () => {
    expect(nodeCpus({ ...none, jobs: [job(5), job(6, { purpose: "return" })] })).toEqual({ sets: {} });
  });
});
