import { describe, expect, it } from "vitest";
import type { CommandResult } from "../../../../node/host/host.ts";
import { MemoryBase } from "../../../../node/host/memory-base.ts";
import { MemoryHost } from "../../../../node/host/memory-host.ts";
import type { MachineConfig } from "../../../../domain/machine-config/api.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import type { Rendered } from "../render-assets.ts";
import { sortAssets } from "../sort-assets.ts";
import { renderBootArguments } from "./boot-arguments.ts";

const about = (apiVersion: string, kind: string, name: string, rest: object): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name },
  ...rest,
});

function profile(name: string, role: string, isolated = "2-3"): KubeObject {
  return about("performance.openshift.io/v2", "PerformanceProfile", name, {
    spec: { cpu: { isolated, reserved: "0-1" }, nodeSelector: { [`node-role.kubernetes.io/${role}`]: "" } },
  });
}

function tuned(name: string, recommend: object, data: string, spec: object = {}): KubeObject {
  const text = { name: `${name}-text`, data };
  return about("tuned.openshift.io/v1", "Tuned", name, {
    spec: { profile: [text], recommend: [{ profile: text.name, ...recommend }], ...spec },
  });
}

function pool(name: string, spec: object): KubeObject {
  return about("machineconfiguration.openshift.io/v1", "MachineConfigPool", name, { spec });
}

function machineConfig(name: string, kernelArguments: string[]): KubeObject {
  return about("machineconfiguration.openshift.io/v1", "MachineConfig", name, {
    spec: { kernelArguments, kernelType: "realtime" },
  });
}

const role = (name: string): object => ({ "machineconfiguration.openshift.io/role": name });
const boots = (words: string): string => `[bootloader]\ncmdline_x=${words}\n`;

/** An Intel machine of four CPUs, on which nothing may be changed. */
function node(): MemoryHost {
  const prints = (stdout: string) => (): CommandResult => ({ type: "exited", code: 0, stdout, stderr: "" });
  const cpus = ["online", "present", "possible"].map((name) => [`/sys/devices/system/cpu/${name}`, "0-3\n"] as const);
  const host = new MemoryHost(new MemoryBase([...cpus, ["/proc/cpuinfo", "processor\t: 0\n"]]), [
    ["uname", prints("5.14.0\n")],
    ["mktemp", () => Promise.reject(new Error("changed"))],
    ["lscpu", prints("Architecture:  x86_64\nVendor ID:  GenuineIntel\n")],
  ]);
  host.write = host.replace = host.remove = () => Promise.reject(new Error("changed"));
  return host;
}

function rendered(name: string, ...objects: KubeObject[]): Promise<Rendered> {
  const assets = sortAssets(objects.map((object, index) => ({ place: `f${index}`, object })));
  return renderBootArguments({ assets, pool: name, host: node(), version: "1.2.3" });
}

async function made(name: string, ...objects: KubeObject[]): Promise<MachineConfig | undefined> {
  const result = await rendered(name, ...objects);
  expect(result).toMatchObject({ type: "files" });
  const [file, ...others] = result.type === "files" ? result.files : [];
  if (file) expect([file.name, others]).toEqual(["kernelcmdargs_machineconfig_kargs.yaml", []]);
  return file?.object as MachineConfig | undefined;
}

describe("the boot arguments of a pool", () => {
  it("are those that the operator would derive from its PerformanceProfile", async () => {
    const object = await made("master", profile("cp", "master"));
    expect(object?.metadata).toEqual({
      name: "50-nto-master",
      labels: role("master"),
      annotations: { "tuned.openshift.io/generated-by-controller-version": "1.2.3" },
    });
    expect(object?.spec?.kernelArguments).toEqual(
      expect.arrayContaining([
        "nohz_full=2-3",
        "isolcpus=managed_irq,2-3",
        "intel_iommu=on",
        "systemd.cpu_affinity=0,1",
      ]),
    );
  });

  it("are not those of another pool's profile", async () => {
    const object = await made("master", profile("w", "worker", "3"), profile("cp", "master"));
    expect(object?.spec?.kernelArguments).toContain("nohz_full=2-3");
  });

  it("are those of a Tuned with a higher priority", async () => {
    const include = "[main]\ninclude=openshift-node-performance-cp\n[bootloader]\ncmdline_x=+mine\n";
    const mine = tuned("mine", { priority: 10, machineConfigLabels: role("master") }, include);
    expect((await made("master", profile("cp", "master"), mine))?.spec?.kernelArguments).toEqual(
      expect.arrayContaining(["nohz_full=2-3", "mine"]),
    );
  });

  it("exist for custom pools, whatever labels their selector has", async () => {
    const cnf = pool("cnf", {
      nodeSelector: { matchExpressions: [{ key: "x.io/role", operator: "In", values: ["cnf"] }] },
      machineConfigSelector: { matchExpressions: [{ key: "role", operator: "In", values: ["worker", "cnf"] }] },
    });
    const rule = { priority: 10, machineConfigLabels: { role: "cnf" } };
    expect(await made("cnf", cnf, tuned("t", rule, boots("a=1 b")))).toMatchObject({
      metadata: { name: "50-nto-cnf", labels: { role: "cnf" } },
      spec: { kernelArguments: ["a=1", "b"] },
    });
  });

  it("come after those of a MachineConfig of the input", async () => {
    const rule = { priority: 10, machineConfigLabels: role("worker") };
    const brought = machineConfig("50-nto-worker", ["b", "quiet"]);
    expect(await made("worker", tuned("t", rule, boots("a b")), brought)).toMatchObject({
      metadata: { labels: role("worker") },
      spec: { kernelArguments: ["b", "quiet", "a"], kernelType: "realtime" },
    });
  });

  const byPool = { priority: 10, machineConfigLabels: role("worker") };
  it.each<[string, KubeObject[], RegExp]>([
    ["no rule has machineConfigLabels", [], /openshift-node through a rule that matches labels of nodes/],
    [
      "a rule that matches labels of nodes has priority",
      [
        tuned("a", { priority: 5, match: [{ label: "node-role.kubernetes.io/worker" }] }, boots("a")),
        tuned("b", byPool, boots("b")),
      ],
      /a-text through a rule that matches labels of nodes/,
    ],
    ["the profile has no boot arguments", [tuned("t", byPool, "[sysctl]\na=1\n")], /t-text has no boot arguments/],
    [
      "the input has them already",
      [tuned("t", byPool, boots("a b")), machineConfig("50-nto-worker", ["b", "a", "c"])],
      /50-nto-worker has these arguments already/,
    ],
    [
      "the rule selects several pools",
      [
        tuned("t", byPool, boots("a")),
        pool("cnf", {
          nodeSelector: { matchLabels: { cnf: "" } },
          machineConfigSelector: {
            matchExpressions: [{ key: "machineconfiguration.openshift.io/role", operator: "Exists" }],
          },
        }),
      ],
      /whose machineConfigLabels select another pool or several pools/,
    ],
    [
      "the operator is Unmanaged",
      [tuned("t", byPool, boots("a")), tuned("default", { priority: 1 }, "", { managementState: "Unmanaged" })],
      /the Tuned default is Unmanaged/,
    ],
  ])("are none, with a warning, where %s", async (_, objects, why) => {
    const result = await rendered("worker", ...objects);
    expect(result).toMatchObject({ type: "files", files: [] });
    expect(result.warnings).toEqual([expect.stringMatching(why)]);
  });

  it.each<[string, string, KubeObject[], RegExp]>([
    ["an unknown pool", "gone", [], /^--mcp-name gone: no such MachineConfigPool$/],
    [
      "a pool whose nodeSelector does not determine labels",
      "odd",
      [
        pool("odd", {
          nodeSelector: {
            matchExpressions: [
              { key: "a", operator: "DoesNotExist" },
              { key: "b", operator: "Gt" },
            ],
          },
        }),
      ],
      /^--mcp-name odd: its nodeSelector does not determine the labels of its nodes$/,
    ],
    [
      "a Tuned that violates its schema",
      "worker",
      [tuned("t", { priority: "high" }, "")],
      /^Tuned t: spec\.recommend\[0\]\.priority: /,
    ],
    [
      "profiles that cannot be read",
      "worker",
      [profile("p", "worker", "2-")],
      /^f0: PerformanceProfile p: spec\.cpu\.isolated: /,
    ],
    [
      "a profile for more CPUs than this host has",
      "worker",
      [profile("p", "worker", "2-9")],
      /Assertion .* failed: .*; boot arguments depend on the hardware: run the command on a node of the pool worker, or pass --root with such a node's root file system$/,
    ],
    [
      "a profile that includes a missing one",
      "worker",
      [tuned("t", byPool, "[main]\ninclude=gone\n")],
      /"gone" does not exist/,
    ],
    [
      "profiles that two Tuneds define differently",
      "worker",
      [
        tuned("t", byPool, boots("a")),
        about("tuned.openshift.io/v1", "Tuned", "u", { spec: { profile: [{ name: "t-text", data: "" }] } }),
      ],
      /^--mcp-name worker: the Tuneds define these profiles differently: t-text$/,
    ],
  ])("are refused for %s", async (_, name, objects, why) => {
    expect(await rendered(name, ...objects)).toMatchObject({ type: "refused", problems: [expect.stringMatching(why)] });
  });

  it("are not refused for problems of another pool's profile", async () => {
    const result = await rendered("master", profile("cp", "master"), profile("w", "worker", "2-"));
    expect(result).toMatchObject({ type: "files", files: [{ object: { metadata: { name: "50-nto-master" } } }] });
    expect(result.warnings).toEqual([expect.stringMatching(/^f1: PerformanceProfile w: spec\.cpu\.isolated: /)]);
  });

  it("of a cluster with a single node count it as a worker too", async () => {
    const infrastructure = about("config.openshift.io/v1", "Infrastructure", "cluster", {
      status: { controlPlaneTopology: "SingleReplica" },
    });
    const worker = { priority: 5, match: [{ label: "node-role.kubernetes.io/worker" }] };
    const objects = [profile("cp", "master"), tuned("w", worker, "[sysctl]\na=1\n")];
    expect(await made("master", ...objects)).toBeDefined();
    expect(await made("master", ...objects, infrastructure)).toBeUndefined();
  });
});
