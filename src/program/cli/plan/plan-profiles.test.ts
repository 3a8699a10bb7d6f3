import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type ApiServer } from "../../../embedded/apiserver/server.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { loadConnection } from "../../../cluster/kube/connect/load-connection.ts";
import { kubeletConfigKind, machineConfigKind, machineConfigPoolKind } from "../../../domain/machine-config/api.ts";
import { machineConfigCrds } from "../../../domain/machine-config/crds.ts";
import { profileKind, tunedKind, tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { nodeTuningCrds } from "../../../domain/node-tuning/crds.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { writeYaml } from "../../../language/object/write-yaml.ts";
import { annotations, group, performanceProfileKind } from "../../../domain/performance-profile/api.ts";
import { performanceProfileCrds } from "../../../domain/performance-profile/crds.ts";
import { derive } from "../../../domain/performance-profile/derive.ts";
import { readFacts } from "../../../domain/performance-profile/read-facts.ts";
import { withoutPools } from "../../../domain/performance-profile/without-pools.ts";
import { planOn, type PlanOptions } from "./plan.ts";
import type { PlanDocument } from "../../plan/plan-objects.ts";
import { RecordingTerminal } from "../terminal/testing/recording-terminal.ts";

let dir: string;
let server: ApiServer;
let client: HttpClient;
const apply = { fieldManager: "test" };
const { signal } = new AbortController();
const role = "machineconfiguration.openshift.io/role";
const selector = { "node-role.kubernetes.io/worker-cnf": "" };
const pool = {
  apiVersion: machineConfigPoolKind.apiVersion,
  kind: "MachineConfigPool",
  metadata: { name: "worker-cnf", labels: { [role]: "worker-cnf" } },
  spec: {
    nodeSelector: { matchLabels: selector },
    machineConfigSelector: { matchExpressions: [{ key: role, operator: "In", values: ["worker", "worker-cnf"] }] },
  },
} satisfies KubeObject;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "attune-plan-profiles-"));
  server = await startServer({ dir, storage: "memory" });
  client = new HttpClient(await loadConnection({ kubeconfig: server.kubeconfig }));
  for (const crd of [...nodeTuningCrds, ...machineConfigCrds, ...performanceProfileCrds])
    await client.patch(kinds.customResourceDefinition, crd.metadata.name ?? "", { type: "apply", object: crd }, apply);
  await client.create(kinds.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: tuningNamespace } });
  await client.create(machineConfigPoolKind, pool);
  for (const name of ["cnf-1", "cnf-2", "plain"]) await addNode(name);
});
afterAll(async () => {
  client.close();
  await server.close();
  await rm(dir, { recursive: true, force: true });
});

/** One socket, two threads to a core: CPU n and n + 4 share one. */
const hardware = {
  architecture: "amd64",
  numaNodes: [{ id: 0, memory: "16777216Ki", cores: ["0/0:0,4", "0/1:1,5", "0/2:2,6", "0/3:3,7"] }],
  offline: "",
};

async function addNode(name: string): Promise<void> {
  const labels = { "kubernetes.io/os": "linux", ...(name === "plain" ? {} : selector) };
  const node = { apiVersion: "v1", kind: "Node", metadata: { name, labels } };
  await client.create(kinds.node, node);
  const nodeInfo = { kernelVersion: "6.12.0", architecture: "amd64", operatingSystem: "linux" };
  const status = { capacity: { cpu: "8" }, nodeInfo };
  await client.patch(kinds.node, name, { type: "merge", patch: { status } }, { subresource: "status" });
  const profile = {
    apiVersion: profileKind.apiVersion,
    kind: "Profile",
    metadata: { name, namespace: tuningNamespace },
  };
  await client.create(profileKind, { ...profile, spec: { config: { tunedProfile: "openshift-node" }, profile: [] } });
  const patch = { status: { tunedProfile: "openshift-node", hardware } };
  await client.patch(
    profileKind,
    name,
    { type: "merge", patch },
    { subresource: "status", namespace: tuningNamespace },
  );
}

function lowLatency(more: object = {}, said: Record<string, string> = {}, version = "v2"): KubeObject {
  return {
    apiVersion: `${group}/${version}`,
    kind: "PerformanceProfile",
    metadata: { name: "low-latency", annotations: said },
    spec: { cpu: { reserved: "0,4", isolated: "1-3,5-7" }, nodeSelector: selector, ...more },
  };
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1;
}

async function planned(
  objects: readonly KubeObject[],
  output: PlanOptions["output"],
): Promise<{ code: number; said: RecordingTerminal }> {
  const said = new RecordingTerminal();
  const file = join(dir, "profile.yaml");
  await writeFile(file, objects.map((object) => writeYaml(object)).join("---\n"));
  const around = { terminal: said, stdin: () => Promise.resolve(""), signal };
  const code = await planOn(client, { filename: [file], output }, around);
  return { code, said };
}

async function documentOf(...objects: KubeObject[]): Promise<PlanDocument & { code: number }> {
  const { code, said } = await planned(objects, "json");
  expect(said.stderr).toBe("");
  return { code, ...(JSON.parse(said.stdout) as PlanDocument) };
}

describe("a plan for a performance profile", () => {
  it("has the four derived objects, boot arguments and the nodes that restart", async () => {
    const { code, objects, boot, pools, findings } = await documentOf(lowLatency());
    expect([code, findings]).toEqual([2, []]);
    expect(objects.map(({ kind, name, change }) => [kind, name, change])).toEqual([
      ["PerformanceProfile", "low-latency", "create"],
      ["Tuned", "openshift-node-performance-low-latency", "create"],
      ["MachineConfig", "50-performance-low-latency", "create"],
      ["KubeletConfig", "performance-low-latency", "create"],
      ["RuntimeClass", "performance-low-latency", "create"],
    ]);
    expect(pools).toMatchObject([
      {
        pool: "worker-cnf",
        objects: [
          { kind: "MachineConfig", name: "50-performance-low-latency", change: "create" },
          { kind: "KubeletConfig", name: "performance-low-latency", change: "create" },
          { kind: "MachineConfig", name: "50-nto-worker-cnf", change: "create" },
        ],
        updates: [{ nodes: ["cnf-1", "cnf-2"], level: "reboot", drain: true }],
        order: ["cnf-1", "cnf-2"],
        atOnce: 1,
        waits: [{ reason: "WaitingForBootArguments" }],
      },
    ]);
    expect(boot).toMatchObject([{ pools: ["worker-cnf"] }]);
    expect(boot[0]?.after).toEqual(
      expect.arrayContaining(["nohz_full=1-3,5-7", "isolcpus=managed_irq,1-3,5-7", "systemd.cpu_affinity=0,4"]),
    );
  });

  it.each([
    {},
    { realTimeKernel: { enabled: true } },
    { cpu: { reserved: "0,4", isolated: "1-2,5-6", offlined: "3,7" } },
  ])("is the plan of the files that attune render writes from it, given %j", async (more) => {
    const read = readFacts(lowLatency(more));
    if (read.type !== "facts") throw new Error("unusable");
    const derived = derive({ facts: read.facts, pool, partitioning: "None", mixedCpusAllowed: false });
    if (derived.type !== "derived") throw new Error("refused");
    const { type: _, ...objects } = derived;
    const rendered = await documentOf(...Object.values(objects));
    const { boot, changes, pools, objects: derivedObjects } = await documentOf(lowLatency(more));
    expect([rendered.skipped, rendered.findings]).toEqual([[], []]);
    expect(rendered).toMatchObject({ boot, changes });
    expect(rendered.pools.map((one) => ({ ...one, objects: one.objects.toSorted(byName) }))).toEqual(
      pools.map((one) => ({ ...one, objects: one.objects.toSorted(byName) })),
    );
    expect(new Set(rendered.objects.map(({ kind, change }) => `${kind} ${change}`))).toEqual(
      new Set(derivedObjects.slice(1).map(({ kind, change }) => `${kind} ${change}`)),
    );
  });

  it("is printed as text", async () => {
    const { code, said } = await planned([lowLatency()], "table");
    expect(code).toBe(2);
    const lines = said.stdout.split("\n");
    const at = lines.indexOf("Pool worker-cnf gets another config");
    expect(lines.slice(at + 1, at + 5)).toEqual([
      "  (MachineConfig 50-performance-low-latency is created, KubeletConfig performance-low-latency is created,",
      "    MachineConfig 50-nto-worker-cnf is created)",
      "  Nodes cnf-1, cnf-2: drain, reboot, one at a time, in this order",
      expect.stringMatching(/^ {4}because of boot arguments, /),
    ]);
    expect(lines.at(-2)).toBe(
      "Plan: 1 to create, 0 to change, 4 by the operator; then 2 of 3 nodes change; 2 reboot. Nothing has been changed.",
    );
    expect(lines.filter((line) => /^\+ \S/.test(line)).map((line) => line.replace(/ \(\/.*/, ""))).toEqual([
      "+ PerformanceProfile low-latency would be created",
      ...[
        `Tuned ${tuningNamespace}/openshift-node-performance-low-latency`,
        "MachineConfig 50-performance-low-latency",
        "KubeletConfig performance-low-latency",
        "RuntimeClass performance-low-latency",
      ].map((one) => `+ ${one} would be created by the operator (derived from PerformanceProfile low-latency)`),
    ]);
  });

  it("has the findings of the profile", async () => {
    const { findings } = await documentOf(lowLatency({ cpu: { reserved: "0", isolated: "1-6" } }));
    expect(findings.map(({ severity, about }) => [severity, about])).toContainEqual([
      "warning",
      "PerformanceProfile low-latency",
    ]);
    expect(findings.map(({ message }) => message).join("\n")).toMatch(/spec\.cpu.*7/);
  });

  it("is refused if the webhook would reject the profile", async () => {
    const { code, said } = await planned([lowLatency({ cpu: { reserved: "0-1", isolated: "1-7" } })], "table");
    expect([code, said.stdout]).toEqual([1, ""]);
    expect(said.stderr).toContain("PerformanceProfile low-latency: spec.cpu");
  });

  it("reads old versions", async () => {
    const { objects } = await documentOf(lowLatency({}, {}, "v1"));
    expect(objects).toHaveLength(5);
    // An old profile that says nothing of interrupts bans them.
    expect(objects.find(({ kind }) => kind === "Tuned")?.diff).not.toContain("[irqbalance]");
  });

  it("derives nothing without a pool", async () => {
    const { objects, pools, findings } = await documentOf(
      lowLatency({ nodeSelector: { "node-role.kubernetes.io/other": "" } }),
    );
    expect([objects.map(({ kind }) => kind), pools]).toEqual([["PerformanceProfile"], []]);
    expect(findings.map(({ message }) => message).join("\n")).toMatch(/matches no MachineConfigPool/);
  });

  it("derives nothing while the profile is paused", async () => {
    const { objects, findings, boot } = await documentOf(lowLatency({}, { [annotations.pause]: "true" }));
    expect([objects.map(({ kind }) => kind), boot]).toEqual([["PerformanceProfile"], []]);
    expect(findings).toContainEqual(expect.objectContaining({ severity: "note" }));
  });

  it("resolves profiles for the kernel that nodes will restart with", async () => {
    const { changes } = await documentOf(lowLatency({ realTimeKernel: { enabled: true } }));
    const { unresolved } = changes.find(({ nodes }) => nodes.includes("cnf-1")) ?? { unresolved: [] };
    expect(unresolved).not.toContainEqual({ type: "exec", argv: ["uname", "-r"] });
  });
});

describe("a plan for a profile that exists", () => {
  // Its nodes have not restarted yet.
  const realTime = (more: object = {}): KubeObject => lowLatency({ realTimeKernel: { enabled: true }, ...more });

  beforeAll(async () => {
    const profile = await client.create(performanceProfileKind, realTime());
    const read = readFacts(profile);
    if (read.type !== "facts") throw new Error("unusable");
    const derived = derive({ facts: read.facts, pool, partitioning: "None", mixedCpusAllowed: false });
    if (derived.type !== "derived") throw new Error("refused");
    await client.create(machineConfigKind, derived.machineConfig);
    await client.create(kubeletConfigKind, derived.kubeletConfig);
    await client.create(tunedKind, derived.tuned);
    await client.create(kinds.runtimeClass, derived.runtimeClass as never);
  });

  it("is empty if nothing changes", async () => {
    const { code, objects, changes, pools } = await documentOf(realTime());
    expect(objects.map(({ change }) => change)).toEqual(["none", "none", "none", "none", "none"]);
    expect([code, changes, pools]).toEqual([0, [], []]);
  });

  it("shows changed lines of files, decoded", async () => {
    const { objects } = await documentOf(realTime({ cpu: { reserved: "0-1,4-5", isolated: "2-3,6-7" } }));
    const { diff = "" } = objects.find(({ kind }) => kind === "MachineConfig") ?? {};
    const changed = diff.split("\n").filter((line) => /^[+-]/.test(line));
    expect(changed.map((line) => line.replaceAll(/\s+/g, " "))).toEqual([
      '- infra_ctr_cpuset = "0,4"',
      '+ infra_ctr_cpuset = "0-1,4-5"',
    ]);
  });

  it("reboots no node for a RuntimeClass", async () => {
    await client.delete(kinds.runtimeClass, "performance-low-latency");
    const { objects, pools, boot } = await documentOf(realTime());
    expect(objects.filter(({ change }) => change !== "none").map(({ kind }) => kind)).toEqual(["RuntimeClass"]);
    expect([pools, boot]).toEqual([[], []]);
  });

  it("warns if the cluster has no MachineConfigPools", async () => {
    for (const crd of machineConfigCrds) await client.delete(kinds.customResourceDefinition, crd.metadata.name ?? "");
    const { objects, pools, findings } = await documentOf(lowLatency());
    expect(objects.map(({ kind }) => kind)).toEqual(["PerformanceProfile", "Tuned"]);
    expect(pools).toEqual([]);
    expect(
      findings.filter(({ about }) => about === "PerformanceProfile low-latency").map(({ message }) => message),
    ).toEqual([withoutPools]);
  });
});
