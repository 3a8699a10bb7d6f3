import { writeFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import {
  apiVersion,
  containerRuntimeConfigKind,
  kubeletConfigKind,
  type MachineConfig,
  machineConfigKind,
  roleLabel,
} from "../../src/domain/machine-config/api.ts";
import type { Level } from "../../src/domain/machine-config/cost/cost-of.ts";
import { apiVersion as tunedVersion, tunedKind, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { apiVersion as profileVersion, performanceProfileKind } from "../../src/domain/performance-profile/api.ts";
import { smallMachine } from "../../src/embedded/lab/machine-base.ts";
import { isTrue } from "../../src/language/object/condition.ts";
import type { KindRef, KubeObject } from "../../src/language/object/meta.ts";
import { writeYaml } from "../../src/language/object/write-yaml.ts";
import type { PlanDocument } from "../../src/program/plan/plan-objects.ts";
import { planOn } from "../../src/program/cli/plan/plan.ts";
import { RecordingTerminal } from "../../src/program/cli/terminal/testing/recording-terminal.ts";
import { file, RolloutCluster, withFiles } from "./rollout-cluster.ts";

const fast = { "pools.operator.machineconfiguration.openshift.io/fast": "" };

function config(name: string, spec: MachineConfig["spec"], role = "fast"): KubeObject {
  return { apiVersion, kind: "MachineConfig", metadata: { name, labels: { [roleLabel]: role } }, spec };
}

function kubelet(settings: object): KubeObject {
  const spec = { machineConfigPoolSelector: { matchLabels: fast }, kubeletConfig: settings };
  return { apiVersion, kind: "KubeletConfig", metadata: { name: "own" }, spec };
}

function runtimeConfig(settings: object): KubeObject {
  const spec = { machineConfigPoolSelector: { matchLabels: fast }, containerRuntimeConfig: settings };
  return { apiVersion, kind: "ContainerRuntimeConfig", metadata: { name: "own" }, spec };
}

function profile(isolated: string): KubeObject {
  const cpu = { reserved: "0-1", isolated };
  const spec = { cpu, nodeSelector: { "node-role.kubernetes.io/fast": "" }, machineConfigPoolSelector: fast };
  return { apiVersion: profileVersion, kind: "PerformanceProfile", metadata: { name: "low" }, spec };
}

function tuned(text: string): KubeObject {
  return {
    apiVersion: tunedVersion,
    kind: "Tuned",
    metadata: { name: "own", namespace: tuningNamespace },
    spec: {
      profile: [{ name: "own", data: `[main]\ninclude=openshift-node\n${text}` }],
      recommend: [{ profile: "own", priority: 30, machineConfigLabels: { [roleLabel]: "fast" } }],
    },
  };
}

const written = [machineConfigKind, kubeletConfigKind, containerRuntimeConfigKind, tunedKind, performanceProfileKind];
const policy = "/etc/containers/policy.json";
const unit = { name: "own.service", contents: "[Service]\nExecStart=/usr/bin/true\n" };

function withUnits(...units: object[]): MachineConfig["spec"] {
  return { config: { ignition: { version: "3.2.0" }, systemd: { units } } };
}

/** Each is applied on top of those before. */
const changes: readonly [what: string, object: KubeObject, level: Level | undefined][] = [
  ["a file", config("50-file", withFiles(file("/etc/own.conf", "1"))), "reboot"],
  [
    "another spelling of the same file",
    config("50-file", withFiles({ ...file("/etc/own.conf", ""), contents: { source: "data:;base64,MQ==" } })),
    undefined,
  ],
  ["a policy that only CRI-O reloads", config("51-policy", withFiles(file(policy, "{}"))), "nothing"],
  ["a ContainerRuntimeConfig where containerd runs", runtimeConfig({ logLevel: "debug", pidsLimit: 4096 }), "nothing"],
  ["a file that needs nothing", config("52-pull", withFiles(file("/var/lib/kubelet/config.json", "{}"))), "nothing"],
  [
    "a file of credentials",
    config("53-login", withFiles(file("/etc/kubernetes/credential-providers/a", "1"))),
    "restart",
  ],
  ["a kubelet setting", kubelet({ maxPods: 123 }), "restart"],
  ["the CPU manager", kubelet({ maxPods: 123, cpuManagerPolicy: "static", reservedSystemCPUs: "0" }), "drain"],
  ["a unit", config("54-unit", withUnits(unit)), "reboot"],
  ["boot arguments", config("55-boot", { kernelArguments: ["audit=0"] }), "reboot"],
  ["a MachineConfig of another pool", config("50-other", { kernelArguments: ["quiet"] }, "master"), undefined],
  ["a Tuned without boot arguments", tuned("[sysctl]\nvm.swappiness=7\n"), undefined],
  ["a Tuned with boot arguments", tuned("[sysctl]\nvm.swappiness=7\n[bootloader]\ncmdline=skew_tick=1\n"), "reboot"],
  ["a PerformanceProfile", profile("2-7"), "reboot"],
  ["an edited PerformanceProfile", profile("2-5"), "reboot"],
];

test("nodes do for each change what attune plan says: reboots are counted, drains seen", async () => {
  const topology = { ...smallMachine, cpus: 8, sockets: 2 };
  const cluster = await RolloutCluster.start({ nodes: { fast: ["a", "b"], worker: ["c"] }, topology });
  const dir = await mkdtemp(join(tmpdir(), "attune-planned-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  await cluster.createPool("fast", { maxUnavailable: 2 });
  cluster.startOperator();
  await cluster.until("agents", async () => (await cluster.agents()) === 3);
  const drained = new Set<string>();
  cluster.onNode(({ object }) => object.spec?.unschedulable && drained.add(object.metadata.name ?? ""));

  const outcomes: unknown[] = [];
  for (const [what, object, level] of changes) {
    const path = join(dir, "change.yaml");
    await writeFile(path, writeYaml(object));
    const document = await planned(cluster, path);
    const updates = document.pools.flatMap(({ updates }) => updates);
    const before = cluster.reboots();
    drained.clear();
    const { name = "", namespace } = object.metadata;
    const patch = { type: "apply", object, force: true } as const;
    const kind = written.find((one) => one.kind === object.kind) as KindRef;
    await cluster.admin.patch(kind, name, patch, { fieldManager: "test", namespace });
    for (const { pool, config: target } of document.pools)
      await cluster.until(`${what}: pool ${pool} has ${target}`, () => hasConfig(cluster, pool, target));
    const planOf = (node: string): Level | undefined => updates.find(({ nodes }) => nodes.includes(node))?.level;
    const really = (node: string): string => {
      const reboots = (cluster.reboots()[node] ?? 0) - (before[node] ?? 0);
      return `${reboots} reboots${drained.has(node) ? ", drained" : ""}`;
    };
    const expected = { reboot: "1 reboots, drained", drain: "0 reboots, drained" } as Record<string, string>;
    for (const node of ["a", "b", "c"]) {
      const wanted = node === "c" ? undefined : level;
      outcomes.push([what, node, planOf(node), really(node)]);
      expect([what, node, planOf(node), really(node)]).toEqual([
        what,
        node,
        wanted,
        expected[wanted ?? ""] ?? "0 reboots",
      ]);
    }
  }
  expect(outcomes).toHaveLength(changes.length * 3);
}, 240_000);

async function planned(cluster: RolloutCluster, path: string): Promise<PlanDocument> {
  const terminal = new RecordingTerminal();
  const { signal } = new AbortController();
  await planOn(
    cluster.admin,
    { filename: [path], output: "json" },
    { terminal, signal, stdin: () => Promise.resolve("") },
  );
  expect(terminal.stderr).toBe("");
  return JSON.parse(terminal.stdout) as PlanDocument;
}

/** Every node of the pool has the config and takes pods again. */
async function hasConfig(cluster: RolloutCluster, pool: string, config: string): Promise<boolean> {
  const [{ status }, { items }] = await Promise.all([cluster.pool(pool), cluster.admin.list(kinds.node)]);
  const isUpdated = isTrue(status?.conditions, "Updated") && status?.configuration?.name === config;
  return isUpdated && items.every(({ spec }) => !spec?.unschedulable);
}
