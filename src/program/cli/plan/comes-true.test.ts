import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runAgent } from "../../agent/agent.ts";
import type { MemoryHost } from "../../../node/host/memory-host.ts";
import type { KindRef } from "../../../cluster/kube/client.ts";
import type { HttpClient } from "../../../cluster/kube/http-client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { machine } from "../../../embedded/lab/machine.ts";
import { machineBase, smallMachine } from "../../../embedded/lab/machine-base.ts";
import { machineConfigKind, machineConfigPoolKind } from "../../../domain/machine-config/api.ts";
import { machineConfigCrds } from "../../../domain/machine-config/crds.ts";
import { type Profile, profileKind, type Tuned, tunedKind, tuningNamespace } from "../../../domain/node-tuning/api.ts";
import type { NodeExplanation } from "../../../domain/node-tuning/explain/explain-node.ts";
import { isTrue } from "../../../language/object/condition.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { writeYaml } from "../../../language/object/write-yaml.ts";
import { explainOn } from "../explain/explain.ts";
import type { PlanDocument } from "../../plan/plan-objects.ts";
import { planOn } from "./plan.ts";
import { testCluster } from "../testing/test-cluster.ts";
import { RecordingTerminal } from "../terminal/testing/recording-terminal.ts";

const role = "machineconfiguration.openshift.io/role";
const pool = {
  apiVersion: machineConfigPoolKind.apiVersion,
  kind: "MachineConfigPool",
  metadata: { name: "rt" },
  spec: {
    nodeSelector: { matchLabels: { "node-role.kubernetes.io/rt": "" } },
    machineConfigSelector: { matchLabels: { [role]: "rt" } },
  },
};
const realtime: Tuned = {
  apiVersion: tunedKind.apiVersion,
  kind: "Tuned",
  metadata: { name: "realtime", namespace: tuningNamespace },
  spec: {
    profile: [
      {
        name: "realtime",
        data: "[main]\ninclude=openshift-node\n[sysctl]\nvm.swappiness=7\nvm.nonsense=1\n[bootloader]\ncmdline=nohz=on quiet\n",
      },
    ],
    recommend: [{ profile: "realtime", priority: 10, machineConfigLabels: { [role]: "rt" } }],
  },
};

/** A cluster with its operator, and a node in the pool and one outside it, each with its agent. */
async function cluster(): Promise<{
  client: HttpClient;
  dir: string;
  hosts: Map<string, MemoryHost>;
  signal: AbortSignal;
}> {
  const { client, dir, signal, run, runOperator } = await testCluster(machineConfigCrds);
  await client.create(machineConfigPoolKind, pool);
  const base = machineBase(smallMachine);
  const hosts = new Map(["rt", "worker"].map((name) => [name, machine(base)]));
  for (const [name, host] of hosts) {
    const labels = { "kubernetes.io/os": "linux", [`node-role.kubernetes.io/${name}`]: "" };
    await client.create(kinds.node, { apiVersion: "v1", kind: "Node", metadata: { name, labels } });
    run(runAgent({ client, node: name, host, signal }));
  }
  runOperator();
  return { client, dir, hosts, signal };
}

async function seen<T extends KubeObject>(client: HttpClient, of: KindRef<T>, is: (object: T) => boolean): Promise<T> {
  for await (const event of client.watch(of, { sendInitialEvents: true }))
    if ((event.type === "ADDED" || event.type === "MODIFIED") && is(event.object)) return event.object;
  throw new Error(`the watch of ${of.plural} ended`);
}

async function deleted(client: HttpClient, of: KindRef, name: string, resourceVersion = ""): Promise<void> {
  for await (const event of client.watch(of, { resourceVersion }))
    if (event.type === "DELETED" && event.object.metadata.name === name) return;
  throw new Error(`the watch of ${of.plural} ended`);
}

function applied(client: HttpClient, node: string, profile: string): Promise<Profile> {
  return seen(
    client,
    profileKind,
    ({ metadata, status }) =>
      metadata.name === node && status?.tunedProfile === profile && isTrue(status.conditions, "Applied"),
  );
}

it("a plan comes true, that of a deletion too, and afterwards there is nothing left to plan (W-20)", async () => {
  const { client, dir, hosts, signal } = await cluster();
  await Promise.all([...hosts.keys()].map((name) => applied(client, name, "openshift-node")));
  const file = join(dir, "realtime.yaml");
  await writeFile(file, writeYaml(realtime));
  const plan = async (deletes = false): Promise<{ code: number; document: PlanDocument }> => {
    const terminal = new RecordingTerminal();
    const around = { terminal, signal, stdin: () => Promise.resolve("") };
    const code = await planOn(client, { filename: [file], output: "json", delete: deletes }, around);
    return { code, document: JSON.parse(terminal.stdout) as PlanDocument };
  };

  const { code, document } = await plan();
  expect(code).toBe(2);
  expect(document.changes.map(({ nodes, before, after }) => [nodes, before, after])).toEqual([
    [["rt"], "openshift-node", "realtime"],
  ]);
  const setting = document.changes[0]?.settings.find(({ option }) => option === "vm.swappiness");
  const [boot] = document.boot;

  await client.create(tunedKind, realtime);
  await applied(client, "rt", "realtime");
  expect((await hosts.get("rt")?.read("/proc/sys/vm/swappiness")) ?? {}).toEqual({
    type: "text",
    text: `${setting?.after?.value}\n`,
  });
  const config = await seen(client, machineConfigKind, ({ metadata }) => metadata.name === boot?.machineConfig);
  expect(config.spec).toEqual({ kernelArguments: boot?.after });
  expect((await client.get(profileKind, "worker", { namespace: tuningNamespace })).metadata.generation).toBe(1);
  const explained = new RecordingTerminal();
  await explainOn({ client, kind: "node", name: "rt", options: { output: "json" }, terminal: explained, signal });
  const { settings, reported, boot: reached } = JSON.parse(explained.stdout) as NodeExplanation;
  const stateOf = (name: string): string | undefined => settings.find(({ option }) => option === name)?.state;
  expect([reported?.current, reached?.reached]).toEqual([true, true]);
  expect([stateOf("vm.swappiness"), stateOf("vm.nonsense")]).toEqual(["as wanted", "failed"]);
  expect(await plan()).toMatchObject({ code: 0, document: { changes: [], boot: [] } });

  const { code: deletes, document: deletion } = await plan(true);
  expect([deletes, deletion.objects.map(({ kind, change }) => `${kind} ${change}`)]).toEqual([2, ["Tuned delete"]]);
  expect(deletion.changes.map(({ nodes, before, after }) => [nodes, before, after])).toEqual([
    [["rt"], "realtime", "openshift-node"],
  ]);
  const back = deletion.changes[0]?.settings.find(({ option }) => option === "vm.swappiness");
  const [goes] = deletion.boot;
  expect([goes?.machineConfig, goes?.after]).toEqual([boot?.machineConfig, undefined]);

  const gone = deleted(client, machineConfigKind, goes?.machineConfig ?? "", config.metadata.resourceVersion);
  await client.delete(tunedKind, "realtime", { namespace: tuningNamespace });
  await applied(client, "rt", "openshift-node");
  expect(await hosts.get("rt")?.read("/proc/sys/vm/swappiness")).toEqual({
    type: "text",
    text: `${back?.after?.value}\n`,
  });
  await gone;
  expect(await plan(true)).toMatchObject({
    code: 0,
    document: { changes: [], boot: [], skipped: [{ name: "realtime", because: "the cluster does not have it" }] },
  });
});
