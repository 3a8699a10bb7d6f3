import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../language/object/json.ts";
import { writeYaml } from "../../../language/object/write-yaml.ts";
import { readYaml } from "../../../language/object/yaml.ts";
import { kubeletHeader } from "../kubelet-config/kubelet-defaults.ts";
import { plainPath } from "../kubelet-config/kubelet-files.ts";
import { emptyContents, type MachineContents, type MachineFile } from "../machine-contents.ts";
import type { HostFacts, KubeletFacts, RuntimeFacts } from "./host-facts.ts";
import { renewsState } from "./kubelet-change.ts";
import { dependsOnHost, onHost } from "./on-host.ts";

const fileOf = (path: string, text: string): MachineFile => ({
  path,
  mode: 0o644,
  bytes: new TextEncoder().encode(text),
});
const textOf = ({ bytes }: MachineFile): string => new TextDecoder().decode(bytes);

function setting(fields: object): MachineContents {
  return { ...emptyContents, files: [fileOf(plainPath, writeYaml({ ...kubeletHeader, ...fields }))] };
}

/** Files that were added, by path, and findings. */
function added(
  contents: MachineContents,
  facts: Partial<HostFacts>,
): { files: Record<string, string>; findings: readonly string[] } {
  const host = onHost(contents, { runtime: { type: "cri-o" }, readsAnchors: true, ...facts });
  const before = new Set(contents.files.map(({ path }) => path));
  const files = host.contents.files.filter(({ path }) => !before.has(path));
  return { files: Object.fromEntries(files.map((file) => [file.path, textOf(file)])), findings: host.findings };
}

const withDropIns = (base: JsonObject, flags = {}): KubeletFacts => ({
  service: "kubelet.service",
  flags,
  config: { path: "/var/lib/kubelet/config.yaml", mode: 0o600, text: writeYaml({ ...kubeletHeader, ...base }) },
  dropInFolder: "/etc/kubernetes/kubelet.conf.d",
});
const withoutDropIns = (base: JsonObject): KubeletFacts => ({ ...withDropIns(base), dropInFolder: undefined });

const dropIn = "/etc/kubernetes/kubelet.conf.d/90-attune.conf";
const config = "/var/lib/kubelet/config.yaml";

describe("what KubeletConfigs set", () => {
  const zeros = { maxPods: 0, enableServer: false, clusterDomain: "", allowedUnsafeSysctls: [] };

  test("is a drop-in with nothing but that, zero values included (machine-config W-9)", () => {
    const { files, findings } = added(setting(zeros), { kubelet: withDropIns({ maxPods: 110, port: 1 }) });
    expect(findings).toEqual([]);
    expect(Object.keys(files)).toEqual([dropIn]);
    expect(readYaml(files[dropIn]!)).toEqual({ ...kubeletHeader, ...zeros });
  });

  test("is merged into the kubelet's own file where it has no drop-ins", () => {
    const base = { maxPods: 110, port: 1, evictionHard: { "nodefs.available": "10%" } };
    const own = { maxPods: 0, evictionHard: { "memory.available": "1Gi" } };
    const { files } = added(setting(own), { kubelet: withoutDropIns(base) });
    expect(Object.keys(files)).toEqual([config]);
    expect(readYaml(files[config]!)).toEqual({
      ...kubeletHeader,
      maxPods: 0,
      port: 1,
      evictionHard: { "memory.available": "1Gi", "nodefs.available": "10%" },
    });
  });

  test("goes together with the control groups that the host reserves", () => {
    const base = { systemReservedCgroup: "/system.slice", enforceNodeAllocatable: ["pods", "system-reserved"] };
    const facts = { kubelet: withDropIns(base) };
    expect(readYaml(added(setting({ reservedSystemCPUs: "0-1" }), facts).files[dropIn]!)).toEqual({
      ...kubeletHeader,
      reservedSystemCPUs: "0-1",
      systemReservedCgroup: "",
      enforceNodeAllocatable: ["pods"],
    });
  });

  test.each<[string, KubeletFacts | undefined, object, string]>([
    ["no kubelet", undefined, { maxPods: 1 }, "no kubelet was found"],
    ["no files", { service: "kubelet.service", flags: {} }, { maxPods: 1 }, "reads no files"],
    ["no reserved CPUs", withDropIns({}), { cpuManagerPolicy: "static" }, "needs reserved CPUs"],
  ])("has no effect, and that is a finding, with %s", (_, kubelet, fields, finding) => {
    const { files, findings } = added(setting(fields), { kubelet });
    expect(files).toEqual({});
    expect(findings).toEqual([expect.stringContaining(finding)]);
  });

  test("is overruled by flags, which are named", () => {
    const kubelet = withDropIns({}, { "max-pods": "20", "reserved-cpus": "0", v: "2" });
    const { findings } = added(setting({ maxPods: 1, reservedSystemCPUs: "1", podPidsLimit: 1 }), { kubelet });
    expect(findings).toEqual([
      "maxPods of KubeletConfigs has no effect: the kubelet is started with --max-pods=20",
      "reservedSystemCPUs of KubeletConfigs has no effect: the kubelet is started with --reserved-cpus=0",
    ]);
  });

  test.each<[string, object, object, boolean]>([
    ["another policy", {}, { cpuManagerPolicy: "static" }, true],
    ["other reserved CPUs", { reservedSystemCPUs: "0" }, { reservedSystemCPUs: "0-1" }, true],
    ["no policy any more", { memoryManagerPolicy: "Static" }, {}, true],
    ["something else", { maxPods: 1 }, { maxPods: 2 }, false],
    [
      "the same in another order",
      { maxPods: 1, kubeReserved: { cpu: "1" } },
      { kubeReserved: { cpu: "1" }, maxPods: 1 },
      false,
    ],
  ])("makes the kubelet forget its pods with %s", (_, before, after, renews) => {
    expect(renewsState(setting(before).files[0], setting(after).files[0])).toBe(renews);
  });
});

const handler = "[crio.runtime.runtimes.high-performance]";
const crio = fileOf(
  "/etc/crio/crio.conf.d/99-runtimes.conf",
  `[crio.runtime]\nx = 1\n\n${handler}\nallowed_annotations = ["cpu-quota.crio.io", "irq-load-balancing.crio.io"]\n`,
);
const runtimes: MachineContents = { ...emptyContents, files: [crio] };
const containerd = (text: string | undefined, format = 2): RuntimeFacts => ({
  type: "containerd",
  config: { path: "/etc/containerd/config.toml", mode: 0o644, text },
  format,
});
const table = (plugin: string, rest: string): string => `[plugins.${plugin}.containerd.runtimes.${rest}]`;

describe("a handler of CRI-O", () => {
  const two = '"io.containerd.grpc.v1.cri"';
  const three = "'io.containerd.cri.v1.runtime'";
  const runc = 'runtime_type = "io.containerd.runc.v2"';

  test.each<[string, string | undefined, number, string]>([
    [
      "of format 2, with the options of runc",
      `version = 2\n${table(two, "runc")}\n  runtime_type = "io.containerd.runc.v2"\n  ${table(two, "runc.options")}\n    SystemdCgroup = true\n[plugins.${two}.registry]\n  a = 1\n`,
      2,
      `\n${table(two, "high-performance")}\nruntime_type = "io.containerd.runc.v2"\n${table(two, "high-performance.options")}\nSystemdCgroup = true\n`,
    ],
    [
      "of format 3, with those of another default",
      `version = 3\n[plugins.${three}.containerd]\n  default_runtime_name = 'nvidia'\n${table(three, "runc")}\n  x = 1\n${table(three, "nvidia")}\n  y = 2`,
      2,
      `\n\n${table(three, "high-performance")}\ny = 2\n`,
    ],
    [
      "of a file that says nothing about runtimes",
      "version = 2\n",
      2,
      `\n${table(two, "runc")}\n${runc}\n${table(two, "high-performance")}\n${runc}\n`,
    ],
    [
      "without a file",
      undefined,
      3,
      `version = 3\n\n${table(three, "runc")}\n${runc}\n${table(three, "high-performance")}\n${runc}\n`,
    ],
  ])("is added to the configuration of containerd %s", (_, text, format, tail) => {
    const { files, findings } = added(runtimes, { runtime: containerd(text, format) });
    expect(files).toEqual({ "/etc/containerd/config.toml": `${text ?? ""}${tail}` });
    expect(findings).toEqual([
      "containerd does not honour the annotations cpu-quota.crio.io, irq-load-balancing.crio.io of pods",
    ]);
  });

  test("and another one are both added, to built-in runtimes that are written once", () => {
    const other = fileOf("/etc/crio/crio.conf.d/50-other.conf", "[crio.runtime.runtimes.other]\n");
    const { files } = added({ ...emptyContents, files: [crio, other] }, { runtime: containerd("version = 2\n") });
    const headers = files["/etc/containerd/config.toml"]?.split("\n").filter((line) => line.startsWith("["));
    expect(headers).toEqual(["runc", "high-performance", "other"].map((name) => table(two, name)));
  });

  test("that containerd has already is left alone", () => {
    const text = `version = 2\n${table(two, "high-performance")}\n  runtime_type = "x"\n`;
    expect(added(runtimes, { runtime: containerd(text) }).files).toEqual({});
  });

  test("is added to the template from which K3s makes the configuration, again and again the same", () => {
    const made = `version = 2\n${table(two, "runc")}\n  x = 1\n`;
    const config = { path: "/t/config.toml.tmpl", mode: 0o644, text: undefined };
    const first = added(runtimes, { runtime: { type: "containerd", config, madeFrom: made, format: 2 } }).files;
    const tables = `\n${table(two, "high-performance")}\nx = 1\n`;
    expect(first).toEqual({ "/t/config.toml.tmpl": `{{ template "base" . }}\n${tables}` });
    const runtime: RuntimeFacts = { type: "containerd", config, madeFrom: `${made}${tables}`, format: 2 };
    expect(added(runtimes, { runtime }).files).toEqual(first);
  });

  test("is needed for no field of a ContainerRuntimeConfig, which has no effect on containerd", () => {
    const file = fileOf("/etc/crio/crio.conf.d/01-ctrcfg-pidsLimit", "[crio.runtime]\npids_limit = 100\n");
    const contents = { ...emptyContents, files: [file] };
    expect(added(contents, { runtime: containerd("version = 2\n") })).toEqual({
      files: {},
      findings: ["ContainerRuntimeConfigs have no effect: this node runs containerd, and they are for CRI-O"],
    });
    expect(added(contents, { runtime: { type: "cri-o" } }).findings).toEqual([]);
  });

  test("needs nothing where CRI-O runs", () => {
    expect(added(runtimes, { runtime: { type: "cri-o" } })).toEqual({ files: {}, findings: [] });
  });
});

test("authorities that nothing on a host reads are a finding", () => {
  const path = "/etc/pki/ca-trust/source/anchors/ours.crt";
  const contents = { ...emptyContents, files: [fileOf(path, "x"), fileOf("/etc/motd", "x")] };
  expect(dependsOnHost(contents)).toBe(true);
  expect(added(contents, {}).findings).toEqual([]);
  expect(added(contents, { readsAnchors: false }).findings).toEqual([
    `nothing on this host reads the authorities in ${path}: it has no update-ca-trust`,
  ]);
  expect(added(emptyContents, { readsAnchors: false }).findings).toEqual([]);
});

describe("policies of images", () => {
  const files = ["/etc/containers/registries.conf", "/etc/containers/policy.json"].map((path) => fileOf(path, ""));
  const contents = { ...emptyContents, files };

  test("are read by CRI-O", () => {
    expect(dependsOnHost(contents)).toBe(true);
    expect(added(contents, {})).toEqual({ files: {}, findings: [] });
  });

  test("have no effect under containerd, and this is said", () => {
    const runtime: RuntimeFacts = { type: "containerd", config: { path: "/c", mode: 0o644, text: "" }, format: 2 };
    expect(added(contents, { runtime }).findings).toEqual([
      "images of pods are pulled without /etc/containers/registries.conf and /etc/containers/policy.json: this node runs containerd, and CRI-O reads them",
    ]);
  });
});
