import { describe, expect, it } from "vitest";
import { crioPinning, kubeletPinning } from "../../../domain/workload-partitioning/pinning-files.ts";
import { filesOf as filesIn } from "../../../language/ignition/config.ts";
import { textFile } from "../../../language/ignition/file-contents.ts";
import { at } from "../../../language/object/json.ts";
import { AssetFolders } from "./testing/asset-folders.ts";
import { type Change, filesOf, profileText } from "./testing/profile-text.ts";

const infrastructure = (status: object): string =>
  JSON.stringify({
    apiVersion: "config.openshift.io/v1",
    kind: "Infrastructure",
    metadata: { name: "cluster" },
    status,
  });

describe("attune render derives", () => {
  it("profiles of older versions", async () => {
    const assets = new AssetFolders({
      a: profileText("old", undefined, "v1"),
      b: profileText("older", undefined, "v1alpha1"),
    });
    expect((await assets.render()).code).toBe(0);
    // Where v1 says nothing, interrupts are banned from isolated CPUs: TuneD's plug-in for them stays on.
    for (const name of ["old", "older"]) {
      const [text] = at(assets.written().get(`${name}_tuned.yaml`), "spec", "profile") as { data: string }[];
      expect(text?.data).not.toContain("[irqbalance]");
    }
  });

  it("no profile of an unknown version, with a warning", async () => {
    const assets = new AssetFolders({ a: profileText("new", undefined, "v3") });
    expect(await assets.render()).toEqual({
      code: 0,
      stderr: ["warning: in0/a: PerformanceProfile new is ignored: performance.openshift.io/v3 is not a known version"],
    });
  });

  it("the last profile of a name, with a warning", async () => {
    const other: Change = ({ spec }) => (spec["realTimeKernel"] = { enabled: true });
    const assets = new AssetFolders({ a: profileText("one") }, { b: profileText("one", other) });
    const { code, stderr } = await assets.render();
    expect([code, stderr]).toEqual([0, ["warning: in1/b: PerformanceProfile one replaces the one in in0/a"]]);
    expect(at(assets.written().get("one_machineconfig.yaml"), "spec", "kernelType")).toBe("realtime");
  });

  it("two profiles for the same nodes, with a warning for each", async () => {
    const assets = new AssetFolders({ a: profileText("one"), b: profileText("two") });
    const { code, stderr } = await assets.render();
    expect([code, assets.names().length]).toEqual([0, 8]);
    expect(stderr).toEqual([
      expect.stringMatching(/^warning: in0\/a: PerformanceProfile one: spec\.nodeSelector: .*two/),
      expect.stringMatching(/^warning: in0\/b: PerformanceProfile two: spec\.nodeSelector: .*one/),
    ]);
  });

  it("profiles that admission would deny but that can be derived, with a warning", async () => {
    const assets = new AssetFolders({
      a: profileText("one", ({ spec }) => (spec["cpu"] = { isolated: "1-3", reserved: "0-1" })),
    });
    const { code, stderr } = await assets.render();
    expect([code, assets.names()]).toEqual([0, filesOf("one")]);
    expect(stderr).toEqual([expect.stringMatching(/^warning: .*spec\.cpu/)]);
  });

  it.each<[string, Change, RegExp]>([
    [
      "for no pool",
      ({ spec }) => (spec["nodeSelector"] = { "x.io/cnf": "" }),
      /: spec\.nodeSelector: .*no MachineConfigPool/,
    ],
    [
      "of CPUs that are none",
      ({ spec }) => (spec["cpu"] = { isolated: "2-", reserved: "0" }),
      /: spec\.cpu\.isolated: /,
    ],
    [
      "without pages' size",
      ({ spec }) => (spec["hugepages"] = { pages: [{ size: "1G", count: 1 }] }),
      /: spec\.hugepages/,
    ],
    [
      "with bad kubelet fields",
      ({ metadata }) => (metadata["annotations"] = { "kubeletconfig.experimental": "{" }),
      /kubeletconfig\.experimental/,
    ],
    ["with a spec that is none", (object) => Object.assign(object, { spec: "text" }), /: spec: /],
    ["with metadata that is none", (object) => Object.assign(object, { metadata: "text" }), /: metadata\.name not set/],
  ])("no objects of a profile %s", async (_, change, message) => {
    const assets = new AssetFolders({ a: profileText("one", change), b: profileText("two") });
    const { code, stderr } = await assets.render();
    expect([code, assets.names()]).toEqual([1, []]);
    expect(stderr.filter((line) => line.startsWith("error"))).toEqual([expect.stringMatching(message)]);
  });

  it("no objects for several pools, and names the pools", async () => {
    const pool = (name: string): string =>
      `apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfigPool\nmetadata: {name: ${name}}
spec: {nodeSelector: {matchLabels: {node-role.kubernetes.io/worker: ""}}}\n`;
    const assets = new AssetFolders({ a: profileText("one"), b: pool("cnf") });
    const { code, stderr } = await assets.render();
    expect([code, stderr]).toEqual([1, [expect.stringMatching(/^error: .*: spec\.nodeSelector: .*cnf.*worker/)]]);
  });

  it("partitioning also for an arbiter, as the first file", async () => {
    const status = { cpuPartitioning: "AllNodes", controlPlaneTopology: "HighlyAvailableArbiter" };
    const assets = new AssetFolders({ i: infrastructure(status) });
    expect((await assets.render()).code).toBe(0);
    const roles = ["arbiter", "master", "worker"];
    expect(assets.names()).toEqual(
      roles.map((role) => `01_01-${role}-cpu-partitioning_workload_pinning_machineconfig.yaml`),
    );
  });

  it("no default of CRI-O that would undo the CPUs of a single node which was partitioned before", async () => {
    const files = [
      textFile("/etc/crio/crio.conf.d/01-workload-partitioning", 0o644, crioPinning("0-1")),
      textFile("/etc/kubernetes/openshift-workload-pinning", 0o644, kubeletPinning("0-1")),
    ];
    const config = { ignition: { version: "3.2.0" }, storage: { files } };
    const own = {
      apiVersion: "machineconfiguration.openshift.io/v1",
      kind: "MachineConfig",
      metadata: { name: "02-master-pinning", labels: { "machineconfiguration.openshift.io/role": "master" } },
      spec: { config },
    };
    const assets = new AssetFolders({
      i: infrastructure({ controlPlaneTopology: "SingleReplica" }),
      m: JSON.stringify(own),
    });
    expect((await assets.render()).code).toBe(0);
    const paths = [...assets.written().values()].map((object) =>
      filesIn(at(object, "spec", "config")).map(({ path }) => path.split("/").at(-1)),
    );
    expect(paths).toEqual([
      ["openshift-workload-pinning"],
      ["openshift-workload-pinning", "01-workload-pinning-default.conf"],
    ]);
  });

  it("partitioning from the last Infrastructure named cluster", async () => {
    const named = infrastructure({ cpuPartitioning: "AllNodes" }).replace('"cluster"', '"other"');
    const assets = new AssetFolders({
      a: infrastructure({ cpuPartitioning: "AllNodes" }),
      b: infrastructure({}),
      c: named,
    });
    expect((await assets.render()).code).toBe(0);
    expect(assets.names()).toEqual([]);
  });

  it.each([
    [{}, false],
    [{ featureSet: "TechPreviewNoUpgrade" }, true],
  ])("mixed CPUs if the feature gate is on: %j", async (spec, isMixed) => {
    const gate = { apiVersion: "config.openshift.io/v1", kind: "FeatureGate", metadata: { name: "cluster" }, spec };
    const mixing: Change = ({ spec: wanted }) => {
      wanted["cpu"] = { isolated: "2-3", reserved: "0", shared: "1" };
      wanted["workloadHints"] = { mixedCpus: true };
    };
    const assets = new AssetFolders({ g: JSON.stringify(gate), p: profileText("one", mixing) });
    expect((await assets.render()).code).toBe(0);
    const kubelet = at(assets.written().get("one_kubeletconfig.yaml"), "spec", "kubeletConfig");
    expect(at(kubelet, "reservedSystemCPUs")).toBe(isMixed ? "0-1" : "0");
  });
});
