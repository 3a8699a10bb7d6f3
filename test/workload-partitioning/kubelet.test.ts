import { describe, expect, it } from "vitest";
import { cpusOf } from "../../src/language/cpu/cpu-list.ts";
import { formatRanges } from "../../src/language/cpu/cpu-set.ts";
import { withForeignResources } from "../../src/embedded/lab/kubelet/node/foreign-resources.ts";
import { startCpuManager } from "../../src/embedded/lab/kubelet/node/cpu-manager.ts";
import {
  isManaged,
  partitionedResources,
  sharedCpusLimit,
} from "../../src/embedded/lab/kubelet/node/partitioned-node.ts";
import type { Pod } from "../../src/embedded/lab/kubelet/pod/pod-admission.ts";
import { rewriteStaticPod } from "../../src/embedded/lab/kubelet/static-pod/rewrite-static-pod.ts";
import { fixture } from "./cases.ts";

type Annotations = Record<string, string>;

interface BriefPod {
  annotations?: Annotations;
  containers?: NonNullable<Pod["spec"]>["containers"];
  initContainers?: NonNullable<Pod["spec"]>["containers"];
}

interface StaticPodCase {
  id: string;
  pod: BriefPod;
  expect: { outcome: string; code?: string; container?: string; workload?: string; pod?: BriefPod };
}

const warning = "workload.openshift.io/warning";

describe("recorded static pods", () => {
  it.each(fixture<StaticPodCase[]>("kubelet-static-pods"))("$id: $expect.outcome", ({ pod, expect: expected }) => {
    const { annotations, containers = [], initContainers } = pod;
    const spec = { containers, ...(initContainers && { initContainers }) };
    const given: Pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "test", ...(annotations && { annotations }) },
      spec,
    };
    const before = structuredClone(given);
    const made = rewriteStaticPod(given);
    expect(given).toEqual(before);
    if (made.type !== "modified") {
      const { type: outcome, ...rest } = made;
      return expect({ outcome, ...rest }).toEqual(expected);
    }
    const after: BriefPod = {
      annotations: { ...made.pod.metadata.annotations },
      ...(made.pod.spec!.containers.length > 0 && { containers: made.pod.spec!.containers }),
      ...(made.pod.spec!.initContainers && { initContainers: made.pod.spec!.initContainers }),
    };
    if (after.annotations?.[warning] !== undefined) {
      expect(after.annotations[warning]).toContain("Guaranteed");
      after.annotations[warning] = "warning";
    }
    expect({ outcome: made.type, workload: made.workload, pod: after }).toEqual(expected);
  });
});

interface NodeCases {
  managed: { id: string; annotations: Annotations | null; expect: { managed: boolean } }[];
  managedByRuntime: {
    id: string;
    response?: { status?: { annotations?: Annotations } | null } | null;
    expect: { managed: boolean };
  }[];
  sharedCpusFile: { id: string; fileContent: string | null; expect: { enabled: boolean; containersLimit: number } }[];
  capacity: {
    id: string;
    pinningFilePresent: boolean;
    logicalCpus: number;
    existingCapacity?: Annotations;
    expect: { capacity: Annotations; allocatable: Annotations };
  }[];
  sharedCpusCapacity: {
    id: string;
    enabled: boolean;
    containersLimit?: number;
    existingCapacity: Annotations;
    expect: { capacity: Annotations };
  }[];
}

/** What the API server stores after a kubelet has sent its status. */
function stored(existing: Annotations, own: Annotations): { capacity: Annotations; allocatable: Annotations } {
  const before = { capacity: existing, allocatable: existing };
  const patch = withForeignResources({ capacity: own, allocatable: own }, before, false) as Record<string, Annotations>;
  const merged = (of: string): Annotations =>
    Object.fromEntries(Object.entries({ ...existing, ...patch[of] }).filter(([, value]) => value !== null));
  return { capacity: merged("capacity"), allocatable: merged("allocatable") };
}

describe("recorded nodes", () => {
  const cases = fixture<NodeCases>("kubelet-node");

  it.each(cases.managed)("annotations $id: managed is $expect.managed", ({ annotations, expect: { managed } }) => {
    expect(isManaged(annotations ?? undefined)).toBe(managed);
  });

  it.each(cases.managedByRuntime)("sandbox $id: managed is $expect.managed", ({ response, expect: { managed } }) => {
    expect(isManaged(response?.status?.annotations)).toBe(managed);
  });

  it.each(cases.sharedCpusFile)("file of shared CPUs $id", ({ fileContent, expect: { enabled, containersLimit } }) => {
    expect(sharedCpusLimit(fileContent ?? undefined)).toBe(enabled ? containersLimit : undefined);
  });

  it.each(cases.capacity)(
    "$id",
    ({ pinningFilePresent: partitioned, logicalCpus, existingCapacity = {}, expect: expected }) => {
      expect(
        stored(existingCapacity, partitionedResources({ partitioned, sharedCpus: undefined }, logicalCpus)),
      ).toEqual(expected);
    },
  );

  it.each(cases.sharedCpusCapacity)(
    "$id",
    ({ enabled, containersLimit = 0, existingCapacity, expect: { capacity } }) => {
      const sharedCpus = enabled ? containersLimit : undefined;
      const own = partitionedResources({ partitioned: false, sharedCpus }, 8);
      expect(stored(existingCapacity, own).capacity).toEqual(capacity);
    },
  );
});

interface CpuManagerCase {
  id: string;
  numReserved: number;
  reserved: string;
  strictCpuReservation: boolean;
  partitioning: boolean;
  storedDefaultSet: string;
  storedAssignments: Record<string, Record<string, string>>;
  expect: { outcome: string; defaultSet?: string; code?: string };
}

describe("recorded starts of the CPU manager", () => {
  // Sockets by turns: cores 0, 2 and 4 are on the first.
  const cores = [0, 2, 4, 1, 3, 5].map((core) => [core, core + 6]);
  const online = cpusOf("0-11");

  it.each(fixture<CpuManagerCase[]>("cpumanager-static-start"))("$id", (recorded) => {
    const assigned = Object.values(recorded.storedAssignments).flatMap((pod) => Object.values(pod).flatMap(cpusOf));
    const shared = cpusOf(recorded.storedDefaultSet);
    const made = startCpuManager({
      online,
      cores,
      reserved: cpusOf(recorded.reserved),
      reservedCount: recorded.numReserved,
      strict: recorded.strictCpuReservation,
      partitioned: recorded.partitioning,
      stored: shared.length === 0 ? undefined : { shared, assigned },
    });
    const outcome =
      made.type === "started"
        ? { outcome: "ok", defaultSet: formatRanges(made.shared) }
        : { outcome: "error", code: made.code };
    if (recorded.id === "strict-restart") return expect(outcome).toEqual({ outcome: "ok", defaultSet: "2-11" });
    expect(outcome).toEqual(recorded.expect);
  });
});
