import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from "vitest";
import { startServer, type ApiServer } from "../../../embedded/apiserver/server.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { loadConnection } from "../../../cluster/kube/connect/load-connection.ts";
import { type MachineConfigPool, machineConfigPoolKind } from "../../../domain/machine-config/api.ts";
import { machineConfigCrds } from "../../../domain/machine-config/crds.ts";
import { type Tuned, tunedKind, tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { nodeTuningCrds } from "../../../domain/node-tuning/crds.ts";
import { writeYaml } from "../../../language/object/write-yaml.ts";
import type { NodeExplanation } from "../../../domain/node-tuning/explain/explain-node.ts";
import { explainOn } from "../explain/explain.ts";
import { readOnlyClient } from "../../gather/read-only-client.ts";
import { planOn, type PlanOptions } from "./plan.ts";
import { FakeRoot } from "../tuned/testing/fake-root.ts";
import { RecordingTerminal } from "../terminal/testing/recording-terminal.ts";

let dir: string;
let server: ApiServer;
let client: HttpClient;
const apply = { fieldManager: "test" };
const { signal } = new AbortController();

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "attune-plan-"));
  server = await startServer({ dir, storage: "memory" });
  client = new HttpClient(await loadConnection({ kubeconfig: server.kubeconfig }));
  for (const crd of [...nodeTuningCrds, ...machineConfigCrds])
    await client.patch(kinds.customResourceDefinition, crd.metadata.name ?? "", { type: "apply", object: crd }, apply);
  await client.create(kinds.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: tuningNamespace } });
  for (const name of ["rt-1", "rt-2", "plain"]) {
    const role = name === "plain" ? "worker" : "rt";
    const labels = { "kubernetes.io/os": "linux", [`node-role.kubernetes.io/${role}`]: "" };
    await client.create(kinds.node, { apiVersion: "v1", kind: "Node", metadata: { name, labels } });
  }
  await client.create(machineConfigPoolKind, rtPool);
});
afterAll(async () => {
  client.close();
  await server.close();
  await rm(dir, { recursive: true, force: true });
});

const rtPool: MachineConfigPool = {
  apiVersion: machineConfigPoolKind.apiVersion,
  kind: "MachineConfigPool",
  metadata: { name: "rt" },
  spec: {
    nodeSelector: { matchLabels: { "node-role.kubernetes.io/rt": "" } },
    machineConfigSelector: { matchLabels: { "machineconfiguration.openshift.io/role": "rt" } },
  },
};

function realtime(text = "[sysctl]\nvm.swappiness=5\n[bootloader]\ncmdline=nohz=on\n", more: object = {}): Tuned {
  return {
    apiVersion: tunedKind.apiVersion,
    kind: "Tuned",
    metadata: { name: "realtime", namespace: tuningNamespace },
    spec: {
      profile: [{ name: "realtime", data: text }],
      recommend: [
        { profile: "realtime", priority: 10, machineConfigLabels: { "machineconfiguration.openshift.io/role": "rt" } },
      ],
      ...more,
    },
  };
}

/** Every object that a plan could have touched, with its version. */
async function versions(): Promise<string[]> {
  const all = [tunedKind, kinds.node, machineConfigPoolKind, kinds.namespace, kinds.configMap, kinds.event];
  const lists = await Promise.all(all.map((kind) => client.list(kind as typeof kinds.node)));
  const objects = lists.flatMap(({ items }) => items);
  return objects.map(({ kind, metadata }) => `${kind} ${metadata.name} ${metadata.resourceVersion}`);
}

async function planned(
  text: string,
  output: PlanOptions["output"] = "json",
): Promise<{ code: number; said: RecordingTerminal }> {
  const said = new RecordingTerminal();
  const file = join(dir, "plan.yaml");
  await writeFile(file, text);
  const options = { filename: [file], output, namespace: "default" };
  const code = await planOn(client, options, { terminal: said, stdin: () => Promise.resolve(""), signal });
  said.stdout = said.stdout.replaceAll(`${dir}/`, "");
  said.stderr = said.stderr.replaceAll(`${dir}/`, "");
  return { code, said };
}

describe("attune plan", () => {
  let before: string[];
  beforeEach(async () => {
    before = await versions();
  });
  afterEach(async () => {
    expect(await versions()).toEqual(before);
  });

  it("shows as text what a new Tuned would do", async () => {
    const { code, said } = await planned(writeYaml(realtime()), "table");
    expect([code, said.stderr]).toEqual([2, ""]);
    const text = said.stdout.split("\n");
    expect(text.slice(0, 3)).toEqual([
      `+ Tuned ${tuningNamespace}/realtime would be created (plan.yaml)`,
      "@@ -0,0 +1,18 @@",
      "+apiVersion: tuned.openshift.io/v1",
    ]);
    const nodes = text.findIndex((line) => line.startsWith("Nodes "));
    expect(text[nodes]).toBe("Nodes rt-1, rt-2: profile openshift-node → realtime");
    expect(said.lines).toContain("| + vm.swappiness | 5 | realtime/tuned.conf:2");
    expect(text.slice(text.findIndex((line) => line.startsWith("Boot")))).toEqual([
      "Boot arguments of the pool rt (MachineConfig 50-nto-rt is created)",
      "  before   none",
      "  after    nohz=on",
      "",
      "Pool rt gets another config",
      "  (MachineConfig 50-nto-rt is created)",
      "  Nodes rt-1, rt-2: drain, reboot, one at a time, in this order",
      "    because of boot arguments",
      "    + boot argument nohz=on",
      "  waits: the new config waits for boot arguments of nodes: rt-1, rt-2 (at most five minutes)",
      "",
      "Plan: 1 to create, 0 to change; 2 of 3 nodes change; 2 reboot. Nothing has been changed.",
      "",
    ]);
  });

  it("prints the same as JSON", async () => {
    const { code, said } = await planned(writeYaml(realtime()));
    expect(code).toBe(2);
    expect(JSON.parse(said.stdout)).toMatchObject({
      nodes: 3,
      objects: [{ place: "plan.yaml", kind: "Tuned", name: "realtime", change: "create" }],
      changes: [{ nodes: ["rt-1", "rt-2"], before: "openshift-node", after: "realtime" }],
      boot: [{ machineConfig: "50-nto-rt", pools: ["rt"] }],
      pools: [
        { pool: "rt", updates: [{ nodes: ["rt-1", "rt-2"], level: "reboot" }], order: ["rt-1", "rt-2"], atOnce: 1 },
      ],
      findings: [],
      skipped: [],
    });
  });

  test.each<[string, string, RegExp[]]>([
    [
      "every object that the server rejects, with its place",
      `${writeYaml(realtime(undefined, { recommend: [{ profile: "p", priority: -1 }] }))}---\n${writeYaml(realtime(undefined, { unknown: 1 })).replace("name: realtime\n", "name: second\n")}`,
      [/^error: plan.yaml, document 1: .*priority/, /^error: plan.yaml, document 2: .*unknown/],
    ],
    ["text that is no manifest", "a: [", [/^error: plan.yaml: line 1: /]],
    [
      "an object that is defined twice",
      `${writeYaml(realtime())}---\n${writeYaml(realtime())}`,
      [/^error: plan.yaml, document 2: Tuned realtime is already defined in plan.yaml, document 1$/],
    ],
    [
      "a namespace that does not exist",
      writeYaml({ ...realtime(), metadata: { name: "x", namespace: "gone" } }),
      [/^error: plan.yaml: namespaces "gone" not found$/],
    ],
  ])("refuses %s", async (_, text, expected) => {
    const { code, said } = await planned(text);
    expect([code, said.stdout]).toEqual([1, ""]);
    const lines = said.stderr.trimEnd().split("\n");
    expect(lines).toHaveLength(expected.length);
    expected.forEach((pattern, index) => expect(lines[index]).toMatch(pattern));
  });

  it("names objects that it skips, and Tuneds that the operator ignores", async () => {
    const elsewhere = { ...realtime(), metadata: { name: "lost" } };
    const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } };
    const { code, said } = await planned(`${writeYaml(elsewhere)}---\n${writeYaml(config)}`);
    const { changes, findings, skipped } = JSON.parse(said.stdout) as Record<string, unknown>;
    expect([code, changes]).toEqual([2, []]);
    expect(findings).toMatchObject([
      {
        about: "Tuned lost",
        message: `it is in namespace default: Tuneds outside namespace ${tuningNamespace} are ignored`,
      },
    ]);
    expect(skipped).toEqual([
      { place: "plan.yaml, document 2", kind: "ConfigMap", name: "c", because: "not used for tuning" },
    ]);
  });

  it("previews what labels of nodes do", async () => {
    const node = await client.get(kinds.node, "plain");
    const labels = { ...node.metadata.labels, "node-role.kubernetes.io/control-plane": "" };
    const { said } = await planned(writeYaml({ apiVersion: "v1", kind: "Node", metadata: { name: "plain", labels } }));
    expect(JSON.parse(said.stdout)).toMatchObject({
      changes: [{ nodes: ["plain"], before: "openshift-node", after: "openshift-control-plane" }],
    });
  });
});

it("plans nothing for files that are applied, and removes fields that kubectl applied before", async () => {
  const old = realtime("[sysctl]\nvm.swappiness=7\n", { managementState: "Managed" });
  // kubectl writes an empty map of annotations, and leaves those of other clients alone.
  const applied = JSON.stringify({ ...old, metadata: { ...old.metadata, annotations: {} } });
  const annotations = {
    "kubectl.kubernetes.io/last-applied-configuration": applied,
    "example.com/by": "another client",
  };
  await client.create(tunedKind, { ...old, metadata: { ...old.metadata, annotations } });
  const same = await planned(writeYaml(old));
  expect([same.code, JSON.parse(same.said.stdout)]).toMatchObject([0, { objects: [{ change: "none", diff: "" }] }]);
  expect((await planned(writeYaml(old), "table")).said.stdout).toContain("\nNothing would change.\n");

  const { code, said } = await planned(writeYaml(realtime("[sysctl]\nvm.swappiness=8\n")));
  const [object] = (JSON.parse(said.stdout) as { objects: { change: string; diff: string }[] }).objects;
  expect([code, object?.change]).toEqual([2, "change"]);
  expect(object?.diff.split("\n").filter((line) => /^[-+]/.test(line))).toEqual([
    "-  managementState: Managed",
    "-        vm.swappiness=7",
    "+        vm.swappiness=8",
  ]);
});

describe("attune explain", () => {
  const explained = async (
    name: string,
    options: Record<string, string> = {},
    { kind = "node", option }: { kind?: string; option?: string } = {},
  ): Promise<RecordingTerminal> => {
    const said = new RecordingTerminal();
    await explainOn({ client, kind, name, option, options, terminal: said, signal });
    return said;
  };

  it("shows one setting or boot argument of a node", async () => {
    const shown = async (option: string): Promise<unknown> => {
      const { stdout } = await explained("rt-1", { output: "json" }, { option });
      const { settings, rules } = JSON.parse(stdout) as NodeExplanation;
      return [settings.map((setting) => `${setting.unit}.${setting.option}`), rules.length];
    };
    expect(await shown("vm.swappiness")).toEqual([["sysctl.vm.swappiness"], 1]);
    expect(await shown("sysctl.vm.swappiness")).toEqual([["sysctl.vm.swappiness"], 1]);
    await expect(shown("net.swappiness")).rejects.toThrow(
      "nothing in profile realtime of node rt-1 sets net.swappiness; did you mean vm.swappiness?",
    );
    await expect(explained("x", {}, { kind: "tuned", option: "y" })).rejects.toThrow(
      "explain tuned: only a node has settings",
    );
  });

  it("shows which nodes a Tuned reaches, and why not the others", async () => {
    const said = await explained("realtime", {}, { kind: "tuned" });
    const selector = "MachineConfigs with machineconfiguration.openshift.io/role=rt";
    expect(said.lines).toEqual([
      "Tuned: | realtime",
      "Profiles: | realtime: not in force yet on rt-1, rt-2",
      expect.stringMatching(/^Conditions: .*managementState is ignored/),
      expect.stringContaining("BootArguments=False (WaitingForNodes)"),
      "",
      "recommend[0]: profile realtime, priority 10",
      "| OUTCOME | COUNT | NODES | BECAUSE",
      `| chosen | 2 | rt-1, rt-2 | the node is in the pool rt, which takes ${selector}`,
      `| no match | 1 | plain | the pool rt takes ${selector}, and the node belongs to no pool`,
      "",
    ]);
    await expect(explained("gone", {}, { kind: "tuned" })).rejects.toThrow(
      `tuneds "gone" not found in namespace ${tuningNamespace}`,
    );
  });

  it("shows why a node has its profile", async () => {
    const said = await explained("plain");
    expect(said.lines.slice(0, 5)).toEqual([
      "Node: | plain",
      "Profile: | openshift-node",
      "Because: | Tuned default recommend[1], priority 40: it matches every node",
      "But: | It has no Profile yet: is the operator running?",
      "Reported: | nothing yet",
    ]);
    expect(said.lines).toContain("→ 40 | default recommend[1] | openshift-node | chosen | it matches every node");
  });

  it("prints the same as JSON", async () => {
    const { stdout } = await explained("rt-1", { output: "json" });
    expect(JSON.parse(stdout)).toMatchObject({ node: "rt-1", profile: "realtime", pools: ["rt"] });
  });

  it("compares with the values of the node", async () => {
    const root = await FakeRoot.make({ "/proc/sys/vm/swappiness": "60\n" });
    const said = await explained("rt-1", { root: root.path, output: "json" });
    const { settings } = JSON.parse(said.stdout) as { settings: { option: string; state: string; actual?: string }[] };
    expect(settings.map(({ option, state, actual }) => [option, state, actual])).toEqual([
      ["vm.swappiness", "different", "60"],
    ]);
    await expect(explained("rt-1", { root: join(root.path, "gone") })).rejects.toThrow(/^--root .*no such directory$/);
  });

  it.each([
    ["node", "missing", 'nodes "missing" not found'],
    ["pool", "x", "explain pool: only nodes, Tuneds and pods can be explained"],
  ])("refuses %s %s", async (kind, name, expected) => {
    await expect(
      explainOn({ client, kind, name, options: {}, terminal: new RecordingTerminal(), signal }),
    ).rejects.toThrow(expected);
  });
});

describe("a read-only client", () => {
  const reader = (): Client => readOnlyClient(client);
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "n" } };
  const writes: [string, (options: { dryRun?: boolean }) => Promise<unknown>][] = [
    ["create", (options) => reader().create(kinds.namespace, namespace, options)],
    ["update", (options) => reader().update(kinds.namespace, namespace, options)],
    ["patch", (options) => reader().patch(kinds.namespace, "n", { type: "merge", patch: {} }, options)],
    ["delete", (options) => reader().delete(kinds.namespace, "n", options)],
    ["POST", () => reader().raw("POST", "/api/v1/namespaces", namespace)],
  ];
  it.each(writes)("refuses to %s", async (_, write) => {
    await expect(write({})).rejects.toThrow("this command changes nothing");
    await expect(write({ dryRun: false })).rejects.toThrow("this command changes nothing");
  });

  it("lets dry runs through", async () => {
    expect(await reader().create(kinds.namespace, namespace, { dryRun: true })).toMatchObject({ kind: "Namespace" });
    await expect(client.get(kinds.namespace, "n")).rejects.toThrow("not found");
  });
});
