import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../../../test/node-tuning/eventually.ts";
import { ifThere } from "../../../cluster/kube/api-error.ts";
import type { Client, KindRef } from "../../../cluster/kube/client.ts";
import { loadConnection } from "../../../cluster/kube/connect/load-connection.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { noLog } from "../../../cluster/runtime/log/log.ts";
import { type NodePool, nodePoolKind } from "../../../domain/node-pool/api.ts";
import { tunedKind, tuningNamespace } from "../../../domain/node-tuning/api.ts";
import type { Json } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { writeYaml } from "../../../language/object/write-yaml.ts";
import type { PlanDocument } from "../../plan/plan-objects.ts";
import { RecordingTerminal } from "../terminal/testing/recording-terminal.ts";
import { waitingIn } from "../up/convergence.ts";
import { clustersNamespace as namespace, hostedClusterName, smallExample } from "../up/hosted-example.ts";
import { twoClusters } from "../up/hosted-system.ts";
import type { Stage } from "../up/stage.ts";
import { planOn, type PlanOptions } from "./plan.ts";

let dir: string;
let stage: Stage;
let management: HttpClient;
let hosted: HttpClient;
const stop = new AbortController();
const { signal } = stop;

/** Two NodePools with one node each, of which one has a Tuned and the other a PerformanceProfile. */
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "attune-plan-pools-"));
  stage = await twoClusters({ dir, port: 0, example: smallExample(2), signal, log: noLog });
  const of = async (context: string): Promise<HttpClient> =>
    new HttpClient(await loadConnection({ kubeconfig: join(dir, "kubeconfig"), context }));
  [management, hosted] = await Promise.all([of("management"), of("hosted")]);
  await stage.createExample();
  await settled();
}, 120_000);
afterAll(async () => {
  management.close();
  hosted.close();
  stop.abort();
  await stage.stopped;
  await rm(dir, { recursive: true, force: true });
});

function settled(): Promise<unknown> {
  return eventually("both nodes have what they are to have", async () => {
    const read = await stage.read();
    return read.nodes.length === 2 && waitingIn(read).length === 0;
  });
}

function configMap(name: string, data: Record<string, string>): KubeObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data };
}

const tuning = (text: string, recommend = "{profile: quiet-memory, priority: 20}"): KubeObject =>
  configMap("quiet-memory", {
    tuning: `apiVersion: tuned.openshift.io/v1
kind: Tuned
metadata: {name: quiet-memory}
spec:
  profile: [{name: quiet-memory, data: "[main]\\ninclude=openshift-node\\n${text}\\n"}]
  recommend: [${recommend}]
`,
  });
const profile = (reserved: string, isolated: string): KubeObject =>
  configMap("low-latency", {
    tuning: `apiVersion: performance.openshift.io/v2
kind: PerformanceProfile
metadata: {name: low-latency}
spec: {cpu: {reserved: "${reserved}", isolated: "${isolated}"}, nodeSelector: {node-role.kubernetes.io/worker: ""}}
`,
  });
const motd = configMap("motd", {
  config: `apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata: {name: motd}
spec: {config: {ignition: {version: 3.4.0}, storage: {files: [{path: /etc/motd, contents: {source: "data:,hi"}}]}}}
`,
});

async function planned(
  objects: readonly KubeObject[],
  { on = management, ...options }: Partial<PlanOptions> & { readonly on?: Client } = {},
): Promise<{ code: number; said: RecordingTerminal; document: PlanDocument }> {
  const file = join(dir, "plan.yaml");
  await writeFile(file, objects.map((object) => writeYaml(object)).join("---\n"));
  const said = new RecordingTerminal();
  const around = { terminal: said, stdin: () => Promise.resolve(""), signal };
  const code = await planOn(on, { filename: [file], output: "json", ...options }, around);
  return {
    code,
    said,
    document: said.stdout.startsWith("{") ? (JSON.parse(said.stdout) as PlanDocument) : ({} as never),
  };
}

async function apply(objects: readonly KubeObject[]): Promise<void> {
  for (const object of objects) {
    const kind = (object.kind === "NodePool" ? nodePoolKind : kinds.configMap) as KindRef;
    const name = object.metadata.name ?? "";
    const there = await ifThere(management.get(kind, name, { namespace }));
    if (there) await management.patch(kind, name, { type: "merge", patch: object as unknown as Json }, { namespace });
    else await management.create(kind, object, { namespace });
  }
}

async function boots(): Promise<Record<string, string | undefined>> {
  const { items } = await hosted.list(kinds.node);
  return Object.fromEntries(items.map(({ metadata, status }) => [metadata.name, status?.nodeInfo?.bootID]));
}

const workers = async (config: string): Promise<NodePool> => {
  const { apiVersion, kind } = nodePoolKind;
  const spec = {
    clusterName: hostedClusterName,
    replicas: 1,
    management: { upgradeType: "InPlace" as const },
    tuningConfig: [{ name: "quiet-memory" }],
    config: [{ name: config }],
  };
  return { apiVersion, kind, metadata: { name: "workers", namespace }, spec };
};

describe("a plan for ConfigMaps of NodePools", () => {
  it.each<[string, () => Promise<KubeObject[]>, string, string | undefined]>([
    ["a setting", async () => [tuning("[sysctl]\\nvm.swappiness=30")], "workers", undefined],
    ["a boot argument", async () => [tuning("[bootloader]\\ncmdline_x=nohz=on")], "workers", "reboot"],
    ["reserved CPUs", async () => [profile("0-1", "2-3")], "low-latency", "reboot"],
    [
      "a file, by a NodePool that names one more ConfigMap",
      async () => [motd, await workers("motd")],
      "workers",
      "reboot",
    ],
  ])(
    "comes true: %s",
    async (_, objects, pool, level) => {
      const before = await boots();
      const written = await objects();
      const { code, document } = await planned(written);
      expect([code, document.findings]).toEqual([2, []]);
      expect(document.nodePools?.map(({ nodePool, nodes, rollout }) => [nodePool, nodes, rollout?.level])).toEqual([
        [`${namespace}/${pool}`, 1, level],
      ]);

      await apply(written);
      const tuneds = document.objects.filter(({ kind }) => kind === "Tuned");
      for (const { name, diff } of tuneds)
        await eventually(`Tuned ${name} is written`, async () => {
          const { metadata, spec } = await hosted.get(tunedKind, name, { namespace: tuningNamespace });
          const text = writeYaml({ spec, metadata });
          const added = diff.split("\n").filter((line) => line.startsWith("+"));
          return added.every((line) => text.includes(line.slice(1).trim()));
        });
      const wanted = document.nodePools?.[0]?.tuning?.settings ?? [];
      await eventually("nothing is left to plan", async () => (await planned(written)).code === 0);
      await settled();
      const after = await boots();
      const restarted = Object.keys(after).filter((node) => after[node] !== before[node]);
      const { items } = await hosted.list(kinds.node, { labelSelector: `hypershift.openshift.io/nodePool=${pool}` });
      expect(restarted).toEqual(level === "reboot" ? items.map(({ metadata }) => metadata.name) : []);
      if (level === undefined) expect(wanted.map(({ option }) => option)).toEqual(["vm.swappiness"]);
    },
    200_000,
  );

  it("says which NodePool refuses which field of which document of which ConfigMap", async () => {
    const texts = await planned([tuning("[sysctl]", "{profil: quiet-memory, priority: 20}"), profile("0-1", "1-3")], {
      output: "table",
    });
    expect(texts.code).toBe(2);
    expect(texts.said.stdout).toContain(
      "NodePool clusters/low-latency of HostedCluster clusters/demo refuses ConfigMap low-latency\n  Nothing changes on its nodes.\n",
    );
    expect(texts.said.stdout).toContain(
      "refused: ConfigMap low-latency, document 1, PerformanceProfile low-latency: spec.cpu.isolated: Forbidden: CPU 1 is in reserved as well",
    );
    expect(texts.said.stdout).toContain(
      "refused: ConfigMap quiet-memory, document 1, Tuned quiet-memory: spec.recommend[0].profile: Required value",
    );
    expect(texts.said.stdout).toContain("0 of 2 nodes change; none reboots.");
  });

  it("says of a restart what causes it, and that the hardware of nodes is not known here", async () => {
    const { said } = await planned([profile("0", "1-3")], { output: "table" });
    const [, text = ""] = said.stdout.split(/^(?=NodePool )/m);
    expect(text).not.toContain("no setting changes");
    expect(text).toMatch(
      /^NodePool clusters\/low-latency of HostedCluster clusters\/demo takes ConfigMap low-latency\n/,
    );
    expect(text).toContain(
      "\n  not evaluated: what depends on the hardware of nodes, which the hosted cluster knows\n",
    );
    expect(text).toMatch(/\n {2}Its node: drain, reboot\n {4}because of boot arguments, /);
    expect(text).toContain("\n    + boot argument systemd.cpu_affinity=…\n");
  });

  it("says what the hosted cluster would find wrong with a profile", async () => {
    const { document } = await planned([tuning("include=missing")]);
    expect(document.findings.map(({ severity, message }) => [severity, message])).toEqual([
      ["error", expect.stringContaining("missing") as string],
    ]);
  });

  it("says that nodes keep what they have from a ConfigMap that is deleted", async () => {
    const { document } = await planned([profile("0-1", "2-3")], { delete: true });
    expect(document.objects.map(({ kind, change }) => [kind, change])).toEqual([["ConfigMap", "delete"]]);
    expect(document.findings).toEqual([
      {
        severity: "error",
        about: "NodePool clusters/low-latency",
        message: "refused: ConfigMap low-latency: not found",
      },
    ]);
    expect(document.nodePools?.map(({ tuning: settings, rollout }) => [settings, rollout])).toEqual([
      [undefined, undefined],
    ]);
  });

  it("says of a ConfigMap that no NodePool names that none does, and what to do", async () => {
    const { code, document } = await planned([configMap("lone", { tuning: "" })]);
    expect([code, document.nodePools]).toEqual([2, undefined]);
    expect(document.findings).toEqual([
      {
        severity: "warning",
        about: "ConfigMap lone",
        message: expect.stringMatching(
          /^no NodePool refers to it, and no node changes: name it in spec\.tuningConfig/,
        ) as string,
      },
    ]);
  });

  it("says that a NodePool waits for a HostedCluster", async () => {
    const { metadata, ...rest } = await workers("motd");
    const lost = { ...rest, metadata: { ...metadata, name: "lost" }, spec: { ...rest.spec, clusterName: "nowhere" } };
    const { document } = await planned([lost]);
    expect(document.findings.map(({ about, message }) => `${about}: ${message}`)).toEqual([
      expect.stringMatching(/^NodePool clusters\/lost: HostedCluster clusters\/nowhere does not exist/) as string,
    ]);
  });

  it("of a paused NodePool changes nothing", async () => {
    const { spec, ...rest } = await workers("motd");
    const { document } = await planned([{ ...rest, spec: { ...spec, pausedUntil: "true" } }, tuning("[vm]")]);
    expect(
      document.nodePools?.map(({ tuning: settings, rollout, waits }) => [settings, rollout, waits.length]),
    ).toEqual([[undefined, undefined, 1]]);
  });
});

describe("a plan for the other side of hosted control planes", () => {
  it("says where a Tuned and a PerformanceProfile belong", async () => {
    const objects = ["tuned.openshift.io/v1 Tuned", "performance.openshift.io/v2 PerformanceProfile"].map((one) => {
      const [apiVersion = "", kind = ""] = one.split(" ");
      return { apiVersion, kind, metadata: { name: "a", namespace: tuningNamespace }, spec: {} };
    });
    for (const on of [management, hosted]) {
      const { code, document } = await planned(objects, { on });
      expect([code, document.skipped.map(({ because }) => because)]).toEqual([
        0,
        Array(2).fill(expect.stringContaining("put it into a ConfigMap of the management cluster")),
      ]);
    }
  });

  it("says where a NodePool and its ConfigMap belong", async () => {
    const { code, document } = await planned([tuning("[vm]"), await workers("motd")], { on: hosted });
    expect([code, document.skipped.map(({ because }) => because)]).toEqual([
      0,
      Array(2).fill(expect.stringContaining("are in the management cluster: pass its --context")),
    ]);
  });
});
