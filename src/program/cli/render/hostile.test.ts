import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clone } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { MemoryBase } from "../../../node/host/memory-base.ts";
import { MemoryHost } from "../../../node/host/memory-host.ts";
import { renderBootArguments } from "./boot/boot-arguments.ts";
import { renderAssets } from "./render-assets.ts";
import { sortAssets } from "./sort-assets.ts";

const role = { "machineconfiguration.openshift.io/role": "cnf" };
const metadata = (name: string): object => ({
  name,
  labels: role,
  annotations: { "performance.openshift.io/enable-rps": "true" },
});
const selector = {
  matchLabels: { "node-role.kubernetes.io/cnf": "" },
  matchExpressions: [{ key: "a", operator: "DoesNotExist" }],
};

/** One object of every kind that is read. */
const objects = [
  {
    apiVersion: "performance.openshift.io/v2",
    kind: "PerformanceProfile",
    metadata: metadata("p"),
    spec: {
      cpu: { isolated: "2-3", reserved: "0-1", shared: "4", ovsDpdk: "5" },
      hugepages: { defaultHugepagesSize: "1G", pages: [{ size: "2M", count: 3, node: 1 }] },
      nodeSelector: selector.matchLabels,
      net: { userLevelNetworking: true, devices: [{ interfaceName: "e*" }] },
      workloadHints: { mixedCpus: true },
    },
  },
  {
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfigPool",
    metadata: metadata("cnf"),
    spec: { nodeSelector: selector, machineConfigSelector: { matchLabels: role } },
  },
  {
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfig",
    metadata: metadata("50-nto-cnf"),
    spec: {
      kernelArguments: ["a"],
      config: {
        storage: { files: [{ path: "/etc/kubernetes/openshift-workload-pinning", contents: { source: "data:,a" } }] },
      },
    },
  },
  {
    apiVersion: "config.openshift.io/v1",
    kind: "Infrastructure",
    metadata: { name: "cluster" },
    status: { cpuPartitioning: "AllNodes", controlPlaneTopology: "SingleReplica" },
  },
  {
    apiVersion: "config.openshift.io/v1",
    kind: "FeatureGate",
    metadata: { name: "cluster" },
    spec: { featureSet: "CustomNoUpgrade", customNoUpgrade: { enabled: ["MixedCPUsAllocation"] } },
    status: { featureGates: [{ enabled: [{ name: "x" }] }] },
  },
  {
    apiVersion: "tuned.openshift.io/v1",
    kind: "Tuned",
    metadata: { name: "t" },
    spec: {
      profile: [{ name: "t", data: "[bootloader]\ncmdline_a=b\n" }],
      recommend: [{ profile: "t", priority: 5, machineConfigLabels: role, match: [{ label: "x" }] }],
    },
  },
] as unknown as KubeObject[];

const odd = fc.constantFrom<unknown>(
  null,
  undefined,
  "",
  "text",
  "../x",
  "true",
  0,
  -1,
  1.5,
  1e21,
  true,
  [],
  [null],
  {},
  { a: 1 },
  { matchLabels: { a: 1 } },
  ["a", 5],
  "v1",
);

/** Somewhere in a value, something that does not belong there. */
function spoilt(value: unknown, path: readonly number[], what: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined || typeof value !== "object" || value === null) return what;
  const keys = Object.keys(value);
  const key = keys[first % Math.max(1, keys.length)];
  if (key === undefined) return what;
  (value as Record<string, unknown>)[key] = spoilt((value as Record<string, unknown>)[key], rest, what);
  return value;
}

const change = fc.tuple(fc.nat(objects.length - 1), fc.array(fc.nat(9), { minLength: 1, maxLength: 6 }), odd);

function assetsOf(changes: readonly [number, readonly number[], unknown][]): ReturnType<typeof sortAssets> {
  const all = clone(objects);
  for (const [index, path, what] of changes) spoilt(all[index], path, clone(what));
  const read = (JSON.parse(JSON.stringify(all)) as KubeObject[]).filter(
    ({ apiVersion, kind }) => typeof apiVersion === "string" && typeof kind === "string",
  );
  return sortAssets(read.map((object) => ({ place: "f", object })));
}

describe("manifests in which anything stands anywhere", () => {
  it("are rendered or refused, and never more than that", () => {
    fc.assert(
      fc.property(
        fc.array(change, { minLength: 1, maxLength: 4 }),
        fc.constantFrom("none", "k8s", "label-name"),
        (changes, owner) => {
          const result = renderAssets(assetsOf(changes), { owner });
          if (result.type === "refused") expect(result.problems.length).toBeGreaterThan(0);
          else for (const { name } of result.files) expect(name).toMatch(/^[a-z0-9][a-z0-9._-]*\.yaml$/);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("render the boot arguments of a pool or are refused, and never crash", async () => {
    const host = new MemoryHost(new MemoryBase([["/sys/devices/system/cpu/online", "0-7\n"]]));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
        const result = await renderBootArguments({ assets: assetsOf(changes), pool: "cnf", host, version: "1" });
        if (result.type === "refused") expect(result.problems.length).toBeGreaterThan(0);
      }),
      { numRuns: 100 },
    );
  });
});
