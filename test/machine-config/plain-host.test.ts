import { describe, expect, test } from "vitest";
import { defaultPolicy } from "../../src/domain/machine-config/cost/disruption-policy.ts";
import { kubeletHeader } from "../../src/domain/machine-config/kubelet-config/kubelet-defaults.ts";
import { plainFiles } from "../../src/domain/machine-config/kubelet-config/kubelet-files.ts";
import { machine, type Machine } from "../../src/embedded/lab/machine.ts";
import { machineBase, smallMachine } from "../../src/embedded/lab/machine-base.ts";
import { ignitionConfig } from "../../src/language/ignition/config.ts";
import type { JsonObject } from "../../src/language/object/json.ts";
import { readYaml } from "../../src/language/object/yaml.ts";
import { writeYaml } from "../../src/language/object/write-yaml.ts";
import { serialQueue } from "../../src/node/host/serial-queue.ts";
import { type Applied, NodeUpdater } from "../../src/node/on-node/machine-config/node-updater.ts";
import { commandOfUnit, flagsOf } from "../../src/node/on-node/machine-config/kubelet/kubelet-command.ts";

const unit = "/etc/systemd/system/kubelet.service.d/10-kubeadm.conf";
const config = "/var/lib/kubelet/config.yaml";
const cpuState = "/var/lib/kubelet/cpu_manager_state";
const memoryState = "/var/lib/kubelet/memory_manager_state";

/** As kubeadm sets kubelets up: flags in variables of several files, and no folder of drop-ins. */
const kubeadm: Record<string, string> = {
  [unit]: `[Service]
Environment="KUBELET_CONFIG_ARGS=--config=${config}"
EnvironmentFile=-/var/lib/kubelet/kubeadm-flags.env
EnvironmentFile=-/etc/default/kubelet
ExecStart=
ExecStart=/usr/bin/kubelet $KUBELET_CONFIG_ARGS $KUBELET_KUBEADM_ARGS $KUBELET_EXTRA_ARGS
`,
  "/var/lib/kubelet/kubeadm-flags.env": 'KUBELET_KUBEADM_ARGS="--max-pods=30 --node-ip=10.0.0.1"\n',
};

interface Node {
  readonly host: Machine;
  /** Programs that were run, and paths that were placed or removed, in order. */
  readonly log: string[];
  readonly apply: (name: string, settings: JsonObject | undefined) => Promise<Applied>;
  readonly updater: NodeUpdater;
}

async function node(files: Record<string, string>): Promise<Node> {
  const host = machine(machineBase(smallMachine));
  for (const [path, text] of Object.entries(files)) await host.replace(path, text);
  const log: string[] = [];
  const [run, replace, remove] = [host.run.bind(host), host.replace.bind(host), host.remove.bind(host)];
  host.run = async (argv, options) => {
    if (argv[0]?.startsWith("system")) log.push(argv.join(" "));
    return run(argv, options);
  };
  host.replace = async (path, content, as) => {
    if (!path.startsWith("/var/lib/attune")) log.push(`write ${path}`);
    return replace(path, content, as);
  };
  host.remove = async (path) => {
    if (!path.startsWith("/var/lib/attune")) log.push(`remove ${path}`);
    return remove(path);
  };
  const updater = new NodeUpdater({ host, exclusive: serialQueue() });
  const apply = async (name: string, settings: JsonObject | undefined): Promise<Applied> => {
    log.length = 0;
    const spec = { config: ignitionConfig(settings ? plainFiles({ kubeletConfig: settings }) : []) };
    const planned = await updater.plan({ name, spec }, defaultPolicy);
    if (planned.type === "refused") return planned;
    log.push(`cost ${planned.cost.level}`);
    return updater.apply(planned);
  };
  return { host, log, apply, updater };
}

async function textOf(host: Machine, path: string): Promise<string | undefined> {
  const file = await host.read(path);
  return file.type === "text" ? file.text : undefined;
}

describe("a KubeletConfig on a plain host", () => {
  test("is a drop-in; for another CPU policy the kubelet stops, forgets its pods, gets the file and starts", async () => {
    const { host, log, apply } = await node({ [cpuState]: '{"policyName":"none"}', [memoryState]: "{}" });
    const applied = await apply("rendered-1", { cpuManagerPolicy: "static", reservedSystemCPUs: "0", maxPods: 0 });
    expect(applied).toEqual({ type: "applied", findings: [] });
    const dropIn = "/etc/kubernetes/kubelet.conf.d/90-attune.conf";
    expect(log.filter((line) => !line.includes("systemctl daemon-reload"))).toEqual([
      "cost drain",
      "systemd-run --on-active=10min --unit=attune-start-kubelet --collect systemctl start kubelet.service",
      "systemctl stop kubelet.service",
      `remove ${cpuState}`,
      `remove ${memoryState}`,
      "write /etc/attune/kubelet/kubelet.yaml",
      `write ${dropIn}`,
      "systemctl restart kubelet.service",
    ]);
    expect(readYaml((await textOf(host, dropIn)) ?? "")).toEqual({
      ...kubeletHeader,
      cpuManagerPolicy: "static",
      reservedSystemCPUs: "0",
      maxPods: 0,
    });

    await apply("rendered-2", { cpuManagerPolicy: "static", reservedSystemCPUs: "0", maxPods: 50 });
    expect([log[0], log.at(-1)]).toEqual(["cost restart", "systemctl restart kubelet.service"]);
    expect(log).not.toContain("systemctl stop kubelet.service");

    await apply("rendered-3", undefined);
    expect(log.slice(0, 4)).toEqual([
      "cost drain",
      expect.stringContaining("systemd-run"),
      "systemctl stop kubelet.service",
      `remove ${cpuState}`,
    ]);
    expect(await textOf(host, dropIn)).toBeUndefined();
  });

  test("is merged into the file that kubeadm's flags name, and the original comes back", async () => {
    const original = `# by kubeadm\n${writeYaml({ ...kubeletHeader, clusterDomain: "cluster.local", podPidsLimit: 5 })}`;
    const { host, log, apply } = await node({ ...kubeadm, [config]: original });
    const applied = await apply("rendered-1", { podPidsLimit: 0, maxPods: 10 });
    expect(applied).toEqual({
      type: "applied",
      findings: ["maxPods of KubeletConfigs has no effect: the kubelet is started with --max-pods=30"],
    });
    const merged = { ...kubeletHeader, clusterDomain: "cluster.local", podPidsLimit: 0, maxPods: 10 };
    expect(readYaml((await textOf(host, config)) ?? "")).toEqual(merged);

    await apply("rendered-2", { maxPods: 10 });
    expect(readYaml((await textOf(host, config)) ?? "")).toEqual({ ...merged, podPidsLimit: 5 });
    expect(log).toContain(`write ${config}`);

    await apply("rendered-3", undefined);
    expect(await textOf(host, config)).toBe(original);
  });
});

test("flags come from the unit, its drop-ins and the files of variables that these name", async () => {
  const { host } = await node({
    ...kubeadm,
    "/etc/default/kubelet": "KUBELET_EXTRA_ARGS='--v=4 --config-dir /etc/k'\n",
  });
  const command = await commandOfUnit(host, "kubelet.service");
  expect(flagsOf(command?.argv ?? [])).toEqual({
    config,
    "max-pods": "30",
    "node-ip": "10.0.0.1",
    v: "4",
    "config-dir": "/etc/k",
  });
});

test("a kernel, extensions and a system that the host does not have are findings, and cost it no restart (machine-config W-27)", async () => {
  const { host } = await node({});
  const updater = new NodeUpdater({ host, exclusive: serialQueue() });
  const spec = { kernelType: "realtime", extensions: ["usbguard"], osImageURL: "os:1", config: ignitionConfig([]) };
  const planned = await updater.plan({ name: "rendered-1", spec }, defaultPolicy);
  expect(planned).toMatchObject({ type: "update", cost: { level: "nothing", drain: false } });
  expect(planned.type === "update" ? await updater.apply(planned) : planned).toEqual({
    type: "applied",
    findings: [
      "the node does not run a kernel of type realtime: install one, and boot it",
      "the node lacks packages of extensions: usbguard",
      "the node keeps its operating system: its image is not replaced",
    ],
  });
});

test.each([
  ["1\n", "applied", ""],
  ["0\n", "refused", "rendered-1: fips: a running node cannot be switched to FIPS"],
])("FIPS mode on a node whose kernel says %j is %s, and costs it no drain", async (kernel, type, reason) => {
  const { host } = await node({});
  const read = host.read.bind(host);
  host.read = async (path) =>
    path === "/proc/sys/crypto/fips_enabled" ? { type: "text", text: kernel } : await read(path);
  const updater = new NodeUpdater({ host, exclusive: serialQueue() });
  const spec = { fips: true, config: ignitionConfig([]) };
  const planned = await updater.plan({ name: "rendered-1", spec }, defaultPolicy);
  expect(planned).toMatchObject({ type: "update", cost: { level: "nothing", drain: false } });
  const applied = planned.type === "update" ? await updater.apply(planned) : planned;
  expect(applied).toEqual({ type, ...(reason === "" ? { findings: [] } : { reason }) });
});

describe("a kubelet whose file another program writes too", () => {
  const own = { cpuManagerPolicy: "static", reservedSystemCPUs: "0", evictionHard: { "memory.available": "1Gi" } };
  const first = writeYaml({ ...kubeletHeader, clusterDNS: ["10.0.0.1"], evictionHard: { "nodefs.available": "10%" } });
  /** As `kubeadm upgrade node` writes it: anew, from the ConfigMap of the cluster. */
  const upgraded = `# kubeadm\n${writeYaml({ ...kubeletHeader, clusterDNS: ["10.0.0.2"], crashLoopBackOff: { maxContainerRestartPeriod: "1m" } })}`;

  async function configured(): Promise<Node> {
    const made = await node({ ...kubeadm, [config]: first });
    expect(await made.apply("v1", own)).toMatchObject({ type: "applied" });
    return made;
  }

  test("an upgrade is drift of our fields, a repair merges them into the new file, and it stays when they are gone", async () => {
    const { host, updater, apply } = await configured();
    await host.replace(config, upgraded);
    expect((await updater.drift()).problems).toEqual([expect.stringContaining(config)]);
    expect(await updater.repair()).toMatchObject({ problems: [] });
    expect(readYaml((await textOf(host, config)) ?? "")).toEqual({ ...(readYaml(upgraded) as JsonObject), ...own });
    expect((await updater.drift()).problems).toEqual([]);
    expect(await apply("v2", undefined)).toMatchObject({ type: "applied" });
    expect(await textOf(host, config)).toBe(upgraded);
  });

  test.each([
    ["the next config", async ({ apply }: Node) => void (await apply("v2", undefined))],
    ["the removal of the agent", async ({ updater }: Node) => void (await updater.release())],
  ])("%s leaves a file alone that an upgrade has written since", async (_, end) => {
    const made = await configured();
    await made.host.replace(config, upgraded);
    await end(made);
    expect(await textOf(made.host, config)).toBe(upgraded);
  });

  test("a field that a user adds or changes in the merged file stays, and ours go", async () => {
    const { host, updater, apply } = await configured();
    const merged = readYaml((await textOf(host, config)) ?? "") as JsonObject;
    await host.replace(
      config,
      writeYaml({ ...merged, maxPods: 99, clusterDNS: ["10.0.0.9"], cpuManagerPolicy: "none" }),
    );
    expect(await updater.repair()).toMatchObject({ problems: [] });
    expect(readYaml((await textOf(host, config)) ?? "")).toMatchObject({
      ...own,
      maxPods: 99,
      clusterDNS: ["10.0.0.9"],
    });
    expect(await apply("v2", undefined)).toMatchObject({ type: "applied" });
    expect(readYaml((await textOf(host, config)) ?? "")).toEqual({
      ...(readYaml(first) as JsonObject),
      maxPods: 99,
      clusterDNS: ["10.0.0.9"],
      cpuManagerPolicy: "none",
    });
  });

  test("without another writer the original comes back byte by byte, and a broken file is only drift", async () => {
    const { host, updater, apply } = await configured();
    await host.replace(config, "{ not yaml");
    expect((await updater.drift()).problems).toEqual([expect.stringContaining(config)]);
    expect(await updater.repair()).toMatchObject({ problems: [] });
    expect(await apply("v2", undefined)).toMatchObject({ type: "applied" });
    expect(await textOf(host, config)).toBe(first);
  });
});
