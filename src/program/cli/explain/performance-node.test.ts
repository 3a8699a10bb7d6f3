import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runAgent } from "../../agent/agent.ts";
import { machine } from "../../../embedded/lab/machine.ts";
import { machineBase } from "../../../embedded/lab/machine-base.ts";
import { LinkedAbort } from "../../../cluster/kube/linked-abort.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { machineConfigPoolKind } from "../../../domain/machine-config/api.ts";
import { machineConfigCrds } from "../../../domain/machine-config/crds.ts";
import { type Profile, profileKind, tunedKind, tuningNamespace } from "../../../domain/node-tuning/api.ts";
import type { NodeExplanation } from "../../../domain/node-tuning/explain/explain-node.ts";
import type { SettingChange } from "../../../domain/plan/setting-changes.ts";
import { performanceProfileCrds } from "../../../domain/performance-profile/crds.ts";
import { inputOf, profileOf } from "../../../domain/performance-profile/testing/facts.ts";
import { tunedOf } from "../../../domain/performance-profile/tuned.ts";
import { isTrue } from "../../../language/object/condition.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { writeYaml } from "../../../language/object/write-yaml.ts";
import { planOn } from "../plan/plan.ts";
import type { PlanDocument } from "../../plan/plan-objects.ts";
import { testCluster } from "../testing/test-cluster.ts";
import { RecordingTerminal } from "../terminal/testing/recording-terminal.ts";
import { explainOn } from "./explain.ts";

const role = "machineconfiguration.openshift.io/role";
const worker = "node-role.kubernetes.io/worker-cnf";
const pool = {
  apiVersion: machineConfigPoolKind.apiVersion,
  kind: "MachineConfigPool",
  metadata: { name: "worker-cnf", labels: { [role]: "worker-cnf" } },
  spec: {
    nodeSelector: { matchLabels: { [worker]: "" } },
    machineConfigSelector: { matchLabels: { [role]: "worker-cnf" } },
  },
};
const spec = {
  cpu: { reserved: "0,4", isolated: "1-3,5-7" },
  realTimeKernel: { enabled: true },
  workloadHints: { realTime: true },
};
const name = "cnf";

/** A cluster with its operator, and a virtual node with its agent. */
async function cluster() {
  const { client, dir, signal, run, runOperator } = await testCluster([
    ...machineConfigCrds,
    ...performanceProfileCrds,
  ]);
  await client.create(machineConfigPoolKind, pool);
  const labels = { "kubernetes.io/os": "linux", [worker]: "" };
  await client.create(kinds.node, { apiVersion: "v1", kind: "Node", metadata: { name, labels } });
  runOperator();
  const host = machine(machineBase({ cpus: 8, memoryMiB: 8192, architecture: "amd64", kernelRelease: "6.12.0" }));

  /** The node starts: its kubelet reports the kernel, and its agent runs. */
  async function boot(id: string, kernelVersion: string, commandLine: string): Promise<() => Promise<void>> {
    host.put("/proc/sys/kernel/random/boot_id", `${id}\n`);
    host.put("/proc/sys/kernel/osrelease", `${kernelVersion}\n`);
    host.put("/proc/cmdline", `${commandLine}\n`);
    const status = { capacity: { cpu: "8" }, nodeInfo: { kernelVersion, architecture: "amd64" } };
    await client.patch(kinds.node, name, { type: "merge", patch: { status } }, { subresource: "status" });
    const down = new LinkedAbort(signal);
    const agent = runAgent({ client, node: name, host, signal: down.signal });
    run(agent);
    return async () => {
      down.abort();
      await agent;
    };
  }

  async function reported(is: (status: NonNullable<Profile["status"]>) => boolean): Promise<Profile> {
    for await (const event of client.watch(profileKind, { namespace: tuningNamespace, sendInitialEvents: true }))
      if ((event.type === "ADDED" || event.type === "MODIFIED") && event.object.status && is(event.object.status))
        return event.object;
    throw new Error("the watch of Profiles ended");
  }

  async function plan(object: KubeObject): Promise<PlanDocument> {
    const terminal = new RecordingTerminal();
    const file = join(dir, "object.yaml");
    await writeFile(file, writeYaml(object));
    const around = { terminal, stdin: () => Promise.resolve(""), signal };
    await planOn(client, { filename: [file], output: "json" }, around);
    expect(terminal.stderr).toBe("");
    return JSON.parse(terminal.stdout) as PlanDocument;
  }

  async function explain(): Promise<NodeExplanation> {
    const terminal = new RecordingTerminal();
    const options = { output: "json" } as const;
    await explainOn({ client, kind: "node", name, options, terminal, signal });
    return JSON.parse(terminal.stdout) as NodeExplanation;
  }
  return { client, boot, reported, plan, explain };
}

/** What differs between two explanations of a node, in the form of a plan. */
function difference(before: NodeExplanation, after: NodeExplanation): SettingChange[] {
  const places = ({ settings }: NodeExplanation) =>
    new Map(
      settings
        .filter(({ state }) => state !== "idle")
        .map(({ unit, option, wanted: value, from }) => [`[${unit}] ${option}`, { unit, option, value, from }]),
    );
  const [old, fresh] = [places(before), places(after)];
  return [...new Set([...old.keys(), ...fresh.keys()])].toSorted().flatMap((key): SettingChange[] => {
    const [was, will] = [old.get(key), fresh.get(key)];
    if (was?.value === will?.value) return [];
    const { unit = "", option = "" } = will ?? was ?? {};
    return [{ unit, option, ...placed("before", was), ...placed("after", will) }];
  });
}

function placed(side: "before" | "after", place: { value: string; from: string } | undefined): object {
  return place ? { [side]: { value: place.value, from: place.from } } : {};
}

function sorted(changes: readonly SettingChange[] | undefined): SettingChange[] {
  const key = ({ unit, option }: SettingChange): string => `[${unit}] ${option}`;
  return [...(changes ?? [])].toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}

it(
  "explain and plan agree on a node with a PerformanceProfile, before and after its restart",
  { timeout: 120_000 },
  async () => {
    const { client, boot, reported, plan, explain } = await cluster();
    const shutDown = await boot("boot-1", "6.12.0", "root=/dev/vda1 ro");
    await reported(
      ({ tunedProfile, conditions }) => tunedProfile === "openshift-node" && isTrue(conditions, "Applied"),
    );
    const plain = await explain();
    const tuned = tunedOf(inputOf(spec));
    const profile = tuned.metadata.name ?? "";
    const now = await plan(tuned);
    const later = await plan(profileOf(spec));

    await client.create(tunedKind, tuned);
    const applied = await reported((status) => status.tunedProfile === profile && isTrue(status.conditions, "Applied"));
    const before = await explain();
    expect(before.unresolved).toEqual([]);
    expect(difference(plain, before)).toEqual(sorted(now.changes[0]?.settings));
    expect(before.settings.filter(({ wanted }) => wanted.includes("${"))).toEqual([]);
    expect(before.boot?.pending).toEqual(applied.status?.bootcmdline?.split(" "));
    expect((await plan(tuned)).changes).toEqual([]);

    await shutDown();
    await boot("boot-2", "6.12.0+rt", `root=/dev/vda1 ro ${later.boot[0]?.after?.join(" ")}`);
    const restarted = await reported((status) => status.bootcmdlinePending === undefined);
    const after = await explain();
    expect(restarted.status?.bootcmdline).toBe(later.boot[0]?.after?.join(" "));
    expect([after.unresolved, after.boot?.pending]).toEqual([[], []]);
    expect(difference(plain, after)).toEqual(sorted(later.changes[0]?.settings));
    expect(after.chain.map((one) => one.profile)).toContain("openshift-node-performance-rt-cnf");

    // Every setting says what the node has, without a look at its files.
    const unsaid = after.settings.filter(({ state, actual, note }) =>
      state === "as wanted" || state === "different" ? actual === undefined : note === undefined && state !== "boot",
    );
    expect(unsaid).toEqual([]);
  },
);
