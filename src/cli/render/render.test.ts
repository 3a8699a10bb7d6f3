import { chmodSync, mkdirSync, readdirSync, symlinkSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { at } from "../../object/json.ts";
import type { KubeObject } from "../../object/meta.ts";
import { AssetFolders } from "./testing/asset-folders.ts";

type Change = (profile: { metadata: Record<string, unknown>; spec: Record<string, unknown> }) => void;

function profile(name: string, change: Change = () => {}, version = "v2"): string {
  const object = {
    apiVersion: `performance.openshift.io/${version}`,
    kind: "PerformanceProfile",
    metadata: { name },
    spec: { cpu: { isolated: "2-3", reserved: "0-1" }, nodeSelector: { "node-role.kubernetes.io/worker": "" } },
  };
  change(object);
  return JSON.stringify(object);
}

const four = (name: string): string[] =>
  ["kubeletconfig", "machineconfig", "runtimeclass", "tuned"].map((kind) => `${name}_${kind}.yaml`);
const names = (assets: AssetFolders): string[] => [...assets.written().keys()];
const infrastructure = (status: object): string =>
  JSON.stringify({
    apiVersion: "config.openshift.io/v1",
    kind: "Infrastructure",
    metadata: { name: "cluster" },
    status,
  });

describe("attune render reads", () => {
  it("every file below a folder, whatever it is called, and passes over what it does not know", async () => {
    const assets = new AssetFolders({
      "a/b/.hidden": `---\n# only a remark\n---\n${profile("one")}\n---\nkind: ConfigMap\napiVersion: v1\n`,
      "list.txt": JSON.stringify({ apiVersion: "v1", kind: "List", items: [JSON.parse(profile("two"))] }),
      "z.yaml": "apiVersion: example.com/v1\nkind: PerformanceProfile\n",
      empty: "",
    });
    const { code } = await assets.render();
    expect([code, names(assets)]).toEqual([0, [...four("one"), ...four("two")].toSorted()]);
  });

  it("a file that is named instead of a folder", async () => {
    const assets = new AssetFolders({ "p.json": profile("one") });
    expect(await assets.render({ assetInputDir: [assets.path("in0/p.json")] })).toEqual({ code: 0, stderr: [] });
    expect(names(assets)).toEqual(four("one"));
  });

  it("what links lead to, but not folders behind links", async () => {
    const assets = new AssetFolders({ "..data1/p.json": profile("one") });
    symlinkSync("..data1", assets.path("in0/..data"));
    symlinkSync("..data/p.json", assets.path("in0/p.json"));
    symlinkSync(".", assets.path("in0/loop"));
    expect((await assets.render()).code).toBe(0);
    expect(names(assets)).toEqual(four("one"));
  });

  it("a thousand documents in many files and in one", async () => {
    const other = (i: number): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c${i}}\ndata: {a: "1"}\n`;
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`f${i}.yaml`, other(i)]));
    const one = Array.from({ length: 500 }, (_, i) => other(i)).join("---\n");
    const assets = new AssetFolders(many, { "one.yaml": `${one}---\n${profile("one")}` });
    expect(await assets.render()).toEqual({ code: 0, stderr: [] });
    expect(names(assets)).toEqual(four("one"));
  });

  it("nothing where there is nothing, and makes the folder all the same", async () => {
    const assets = new AssetFolders({});
    expect(await assets.render()).toEqual({ code: 0, stderr: [] });
    expect(readdirSync(assets.output)).toEqual([]);
  });

  it.each<[string, Record<string, string>, RegExp[]]>([
    [
      "text that is no YAML",
      { "a.yaml": "kind: X\napiVersion: v1\n---\na: [\n" },
      [/^error: in0\/a\.yaml, document 2: line [45]: /],
    ],
    [
      "an object without a kind",
      { "a.yaml": `${profile("x")}\n---\n\nmetadata: {}\n` },
      [/^error: in0\/a\.yaml, document 2: line 2: apiVersion not set$/],
    ],
    ["a kind that is none", { "a.json": '{"apiVersion": "v1", "kind": 5}' }, [/: line 1: kind not set$/]],
    ["a list at the top", { "a.yaml": "- a\n" }, [/: line 1: not an object$/]],
    ["a readme", { "README.md": "# Title\n\nSome text.\n" }, [/^error: in0\/README\.md: line 1: not an object$/]],
    ["no text", { a: "\u0000\u0001\u0002" }, [/^error: in0\/a: /]],
    [
      "several at once",
      { a: "a: [", b: profile("x", ({ spec }) => delete spec["cpu"]), c: profile("..") },
      [
        /^error: in0\/a: line 1: /,
        /^error: in0\/c: PerformanceProfile: metadata\.name: /,
        /^error: in0\/b: PerformanceProfile x: spec\.cpu: Required value/,
      ],
    ],
  ])("%s, and refuses all", async (_, files, errors) => {
    const assets = new AssetFolders(files, { good: profile("good") });
    const { code, stderr } = await assets.render();
    expect([code, names(assets)]).toEqual([1, []]);
    expect(stderr.filter((line) => line.startsWith("error"))).toEqual(
      errors.map((line) => expect.stringMatching(line)),
    );
  });

  it.each<[string, (assets: AssetFolders) => string, RegExp]>([
    ["a folder that is not there", (assets) => assets.path("gone"), /^--asset-input-dir .*gone: no such folder$/],
    [
      "a link to nothing",
      (assets) => {
        symlinkSync("nowhere", assets.path("in0/link"));
        return assets.path("in0");
      },
      /ENOENT.*in0\/link/,
    ],
  ])("no %s", async (_, folder, message) => {
    const assets = new AssetFolders({ p: profile("one") });
    await expect(assets.render({ assetInputDir: [folder(assets)] })).rejects.toThrow(message);
    expect(names(assets)).toEqual([]);
  });
});

describe("attune render derives", () => {
  it("older versions too, by what they mean", async () => {
    const assets = new AssetFolders({ a: profile("old", undefined, "v1"), b: profile("older", undefined, "v1alpha1") });
    expect((await assets.render()).code).toBe(0);
    // Where v1 says nothing, interrupts are banned from isolated CPUs: TuneD's plug-in for them stays on.
    for (const name of ["old", "older"]) {
      const [text] = at(assets.written().get(`${name}_tuned.yaml`), "spec", "profile") as { data: string }[];
      expect(text?.data).not.toContain("[irqbalance]");
    }
  });

  it("none of a version that nobody knows, and says so", async () => {
    const assets = new AssetFolders({ a: profile("new", undefined, "v3") });
    expect(await assets.render()).toEqual({
      code: 0,
      stderr: [
        "warning: in0/a: PerformanceProfile new is passed over: performance.openshift.io/v3 is no version that is known",
      ],
    });
  });

  it("the last of those with the same name, and says so", async () => {
    const other: Change = ({ spec }) => (spec["realTimeKernel"] = { enabled: true });
    const assets = new AssetFolders({ a: profile("one") }, { b: profile("one", other) });
    const { code, stderr } = await assets.render();
    expect([code, stderr]).toEqual([0, ["warning: in1/b: PerformanceProfile one stands for the one in in0/a"]]);
    expect(at(assets.written().get("one_machineconfig.yaml"), "spec", "kernelType")).toBe("realtime");
  });

  it("two for the same nodes, and warns of each", async () => {
    const assets = new AssetFolders({ a: profile("one"), b: profile("two") });
    const { code, stderr } = await assets.render();
    expect([code, names(assets).length]).toEqual([0, 8]);
    expect(stderr).toEqual([
      expect.stringMatching(/^warning: in0\/a: PerformanceProfile one: spec\.nodeSelector: .*two/),
      expect.stringMatching(/^warning: in0\/b: PerformanceProfile two: spec\.nodeSelector: .*one/),
    ]);
  });

  it("what would be refused by a cluster but can be derived, and warns", async () => {
    const assets = new AssetFolders({
      a: profile("one", ({ spec }) => (spec["cpu"] = { isolated: "1-3", reserved: "0-1" })),
    });
    const { code, stderr } = await assets.render();
    expect([code, names(assets)]).toEqual([0, four("one")]);
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
    [
      "with metadata that is none",
      (object) => Object.assign(object, { metadata: "text" }),
      /: metadata\.name: Required value/,
    ],
  ])("nothing of a profile %s", async (_, change, message) => {
    const assets = new AssetFolders({ a: profile("one", change), b: profile("two") });
    const { code, stderr } = await assets.render();
    expect([code, names(assets)]).toEqual([1, []]);
    expect(stderr.filter((line) => line.startsWith("error"))).toEqual([expect.stringMatching(message)]);
  });

  it("nothing for several pools, and names them", async () => {
    const pool = (name: string): string =>
      `apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfigPool\nmetadata: {name: ${name}}
spec: {nodeSelector: {matchLabels: {node-role.kubernetes.io/worker: ""}}}\n`;
    const assets = new AssetFolders({ a: profile("one"), b: pool("cnf") });
    const { code, stderr } = await assets.render();
    expect([code, stderr]).toEqual([1, [expect.stringMatching(/^error: .*: spec\.nodeSelector: .*cnf.*worker/)]]);
  });

  it("partitioning for an arbiter too, before all else", async () => {
    const status = { cpuPartitioning: "AllNodes", controlPlaneTopology: "HighlyAvailableArbiter" };
    const assets = new AssetFolders({ i: infrastructure(status) });
    expect((await assets.render()).code).toBe(0);
    const roles = ["arbiter", "master", "worker"];
    expect(names(assets)).toEqual(
      roles.map((role) => `01_01-${role}-cpu-partitioning_workload_pinning_machineconfig.yaml`),
    );
  });

  it("partitioning by the last Infrastructure, and none by one of another name", async () => {
    const named = infrastructure({ cpuPartitioning: "AllNodes" }).replace('"cluster"', '"other"');
    const assets = new AssetFolders({
      a: infrastructure({ cpuPartitioning: "AllNodes" }),
      b: infrastructure({}),
      c: named,
    });
    expect((await assets.render()).code).toBe(0);
    expect(names(assets)).toEqual([]);
  });

  it.each([
    [{}, false],
    [{ featureSet: "TechPreviewNoUpgrade" }, true],
  ])("mixed CPUs where the feature is on, as the cluster does later: %j", async (spec, isMixed) => {
    const gate = { apiVersion: "config.openshift.io/v1", kind: "FeatureGate", metadata: { name: "cluster" }, spec };
    const mixing: Change = ({ spec: wanted }) => {
      wanted["cpu"] = { isolated: "2-3", reserved: "0", shared: "1" };
      wanted["workloadHints"] = { mixedCpus: true };
    };
    const assets = new AssetFolders({ g: JSON.stringify(gate), p: profile("one", mixing) });
    expect((await assets.render()).code).toBe(0);
    const kubelet = at(assets.written().get("one_kubeletconfig.yaml"), "spec", "kubeletConfig");
    expect(at(kubelet, "reservedSystemCPUs")).toBe(isMixed ? "0-1" : "0");
  });
});

describe("attune render says whose objects are", () => {
  const labelled: Change = ({ spec }) =>
    (spec["machineConfigLabel"] = { "machineconfiguration.openshift.io/role": "worker" });
  const owner = "performance.openshift.io/weak-owner-reference-name";

  it("by a label, which no rule goes by", async () => {
    const assets = new AssetFolders({ a: profile("one", labelled) });
    expect((await assets.render()).code).toBe(0);
    const written = [...assets.written().values()];
    for (const { metadata } of written) expect(metadata.labels).toMatchObject({ [owner]: "one" });
    const [rule] = at(
      written.find(({ kind }) => kind === "Tuned"),
      "spec",
      "recommend",
    ) as KubeObject[];
    expect(at(rule, "machineConfigLabels")).toEqual({ "machineconfiguration.openshift.io/role": "worker" });
  });

  it("by a reference, if the profile has a uid", async () => {
    const assets = new AssetFolders({ a: profile("one", ({ metadata }) => (metadata["uid"] = "u-1")) });
    expect((await assets.render({ ownerRef: "k8s" })).code).toBe(0);
    for (const { metadata } of assets.written().values()) {
      expect(metadata.labels ?? {}).not.toHaveProperty([owner]);
      expect(metadata.ownerReferences).toEqual([
        { apiVersion: "performance.openshift.io/v2", kind: "PerformanceProfile", name: "one", uid: "u-1" },
      ]);
    }
  });

  it("not by a label where the name is too long for one", async () => {
    const name = "n".repeat(70);
    const assets = new AssetFolders({ a: profile(name) });
    const { code, stderr } = await assets.render();
    expect([code, names(assets)]).toEqual([1, []]);
    expect(stderr.at(-1)).toMatch(/^error: .*metadata\.name: .*pass --owner-ref none$/);
    expect((await assets.render({ ownerRef: "none" })).code).toBe(0);
    expect(names(assets)).toEqual(four(name));
  });
});

describe("attune render writes", () => {
  it("files that anybody may read, in the place of older ones, and leaves nothing else behind", async () => {
    const assets = new AssetFolders({ a: profile("one") });
    mkdirSync(assets.output, { recursive: true });
    writeFileSync(join(assets.output, "one_tuned.yaml"), "old");
    writeFileSync(join(assets.output, "mine.txt"), "a: 1");
    chmodSync(join(assets.output, "one_tuned.yaml"), 0o600);
    expect((await assets.render()).code).toBe(0);
    expect(names(assets)).toEqual(["mine.txt", ...four("one")]);
    for (const name of four("one")) expect(statSync(join(assets.output, name)).mode & 0o777).toBe(0o644);
  });

  it("the same bytes whenever it is asked the same", async () => {
    const assets = new AssetFolders({ a: profile("one") });
    await assets.render();
    const first = JSON.stringify([...assets.written()]);
    await assets.render();
    expect(JSON.stringify([...assets.written()])).toBe(first);
  });

  it.each<[string, (assets: AssetFolders) => void, RegExp]>([
    ["into a file", (assets) => assets.write("made/here", ""), /EEXIST|ENOTDIR/],
    ["below a file", (assets) => assets.write("made", ""), /ENOTDIR|EEXIST/],
    [
      "over a folder",
      (assets) => mkdirSync(join(assets.output, "one_tuned.yaml"), { recursive: true }),
      /one_tuned\.yaml: it is a folder/,
    ],
  ])("nothing %s", async (_, prepare, message) => {
    const assets = new AssetFolders({ a: profile("one") });
    prepare(assets);
    await expect(assets.render()).rejects.toThrow(message);
    if (statSync(assets.path("made")).isDirectory() && statSync(assets.output).isDirectory())
      expect(readdirSync(assets.output)).toEqual(["one_tuned.yaml"]);
  });
});
