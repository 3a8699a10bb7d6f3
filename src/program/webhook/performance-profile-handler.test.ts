import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../language/object/meta.ts";
import type { ClusterObjects } from "../../domain/performance-profile/surroundings.ts";
import { withoutPools } from "../../domain/performance-profile/without-pools.ts";
import type { AdmissionRequest, Decision } from "./handler.ts";
import { performanceProfileHandler } from "./performance-profile-handler.ts";

const nodeSelector = { "node-role.kubernetes.io/rt": "" };

function profile(spec: object = {}, metadata: object = {}): KubeObject {
  return {
    apiVersion: "performance.openshift.io/v2",
    kind: "PerformanceProfile",
    metadata: { name: "p", ...metadata },
    spec: { cpu: { reserved: "0-1", isolated: "2-3" }, nodeSelector, ...spec },
  };
}

const node: KubeObject = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n", labels: nodeSelector },
  status: { nodeInfo: { architecture: "amd64" }, capacity: { cpu: "4" } },
};

const hardware = { offline: "", numaNodes: [{ id: 0, cores: ["0/0:0", "0/1:1", "0/2:2", "0/3:3"] }] };

const cluster: ClusterObjects = {
  nodes: [node],
  performanceProfiles: [],
  profiles: [{ apiVersion: "tuned.openshift.io/v1", kind: "Profile", metadata: { name: "n" }, status: { hardware } }],
};

function review(
  object: KubeObject | null,
  { oldObject = null, objects = cluster, version = "v2" }: ReviewOptions = {},
): Decision {
  const kind = { group: "performance.openshift.io", version: "v2", kind: "PerformanceProfile" };
  const request: AdmissionRequest = {
    uid: "u",
    kind,
    requestKind: { ...kind, version },
    resource: { group: kind.group, version: "v2", resource: "performanceprofiles" },
    operation: oldObject ? "UPDATE" : "CREATE",
    userInfo: {},
    object,
    oldObject,
  };
  return performanceProfileHandler({ objects: () => objects ?? undefined }).review(request) as Decision;
}

interface ReviewOptions {
  oldObject?: KubeObject | null;
  objects?: ClusterObjects | null;
  version?: string;
}

const overlapping = { cpu: { reserved: "0-1", isolated: "1-3" } };
/** Valid on larger nodes only. */
const beyond = { cpu: { reserved: "0-1", isolated: "2-7" } };

describe("a profile", () => {
  it("that suits its nodes is allowed, and its author told what a cluster without pools leaves out", () => {
    const pool = { apiVersion: "machineconfiguration.openshift.io/v1", kind: "MachineConfigPool" };
    const selector = { spec: { nodeSelector: { matchLabels: nodeSelector } } };
    const role = { machineConfigSelector: { matchLabels: { "machineconfiguration.openshift.io/role": "rt" } } };
    const pools = [{ ...pool, metadata: { name: "rt", labels: { pool: "rt" } }, spec: { ...selector.spec, ...role } }];
    expect(review(profile())).toEqual({ type: "allow", warnings: [withoutPools] });
    expect(review(profile(), { objects: { ...cluster, pools } })).toEqual({ type: "allow", warnings: [] });
  });

  it("is denied with all of its errors, each with its field", () => {
    const decision = review(profile({ ...overlapping, numa: { topologyPolicy: "some" } }));
    expect(decision).toMatchObject({ type: "deny", code: 422, reason: "Invalid" });
    const { details, message } = decision as { details: { causes: { field: string; message: string }[] } } & {
      message: string;
    };
    expect(details).toMatchObject({ name: "p", kind: "PerformanceProfile", group: "performance.openshift.io" });
    const fields = details.causes.map(({ field }) => field);
    expect(fields).toContain("spec.numa.topologyPolicy");
    expect(fields.length).toBeGreaterThan(1);
    for (const cause of details.causes) expect(message).toContain(`${cause.field}: ${cause.message}`);
    expect(message).toMatch(/^PerformanceProfile\.performance\.openshift\.io "p" is invalid: \[/);
  });

  it("is checked by itself until the caches have synced", () => {
    expect(review(profile(beyond), { objects: null }).type).toBe("allow");
    expect(review(profile(overlapping), { objects: null }).type).toBe("deny");
    expect(review(profile(beyond)).type).toBe("deny");
  });

  it("gets warnings that API servers do not truncate", () => {
    const decision = review(profile({ additionalKernelArgs: [`isolcpus=${"1,".repeat(300)}`] }));
    expect(decision.type).toBe("allow");
    expect(decision.warnings).not.toEqual([]);
    for (const warning of decision.warnings ?? []) expect(warning.length).toBeLessThanOrEqual(256);
  });

  it("of an older version gets a hint about the conversion annotation", () => {
    const warnings = review(profile(overlapping), { version: "v1" }).warnings ?? [];
    expect(warnings.some((one) => one.includes("performance.openshift.io/conversion-data"))).toBe(true);
  });
});

describe("a change of a profile that its nodes no longer suit", () => {
  const oldObject = profile(beyond, { finalizers: ["f"] });

  it.each([
    ["takes off a finalizer", profile(beyond)],
    ["changes labels", profile(beyond, { labels: { a: "b" } })],
    ["changes another field", profile({ ...beyond, realTimeKernel: { enabled: true } })],
    ["mends it", profile()],
  ])("is allowed when it %s", (_, object) => {
    expect(review(object, { oldObject }).type).toBe("allow");
  });

  it("gets the remaining errors as warnings", () => {
    const warnings = review(profile(beyond), { oldObject }).warnings ?? [];
    expect(warnings.some((one) => one.startsWith("spec.cpu"))).toBe(true);
  });

  it.each([
    ["makes it worse", profile({ cpu: { reserved: "0-1", isolated: "2-9" } })],
    ["adds another error", profile({ ...beyond, numa: { topologyPolicy: "some" } })],
  ])("is denied when it %s", (_, object) => {
    expect(review(object, { oldObject }).type).toBe("deny");
  });

  it.each([
    ["deleted", null],
    ["being deleted", profile(overlapping, { deletionTimestamp: "2026-01-01T00:00:00Z" })],
  ])("is allowed unchecked when it is %s", (_, object) => {
    expect(review(object, { oldObject: profile() })).toEqual({ type: "allow" });
  });
});
