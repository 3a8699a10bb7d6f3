import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { machineConfigPoolKind } from "../../src/domain/machine-config/api.ts";
import { machineConfigCrds } from "../../src/domain/machine-config/crds.ts";
import { type Profile, profileKind, type Tuned, tunedKind, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { findCondition } from "../../src/language/object/condition.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { writeYaml } from "../../src/language/object/write-yaml.ts";
import { planOn } from "../../src/program/cli/plan/plan.ts";
import type { PlanDocument } from "../../src/program/plan/plan-objects.ts";
import { testCluster } from "../../src/program/cli/testing/test-cluster.ts";
import { RecordingTerminal } from "../../src/program/cli/terminal/testing/recording-terminal.ts";
import { attuneHandlers } from "../../src/program/webhook/attune-handlers.ts";
import type { AdmissionRequest } from "../../src/program/webhook/handler.ts";
import type { KindRef } from "../../src/cluster/kube/client.ts";

const good: Tuned = {
  apiVersion: tunedKind.apiVersion,
  kind: "Tuned",
  metadata: { name: "good", namespace: tuningNamespace },
  spec: {
    profile: [{ name: "good", data: "[sysctl]\nvm.swappiness=10\n" }],
    recommend: [{ profile: "good", priority: 20 }],
  },
};
const bad: Tuned = {
  apiVersion: tunedKind.apiVersion,
  kind: "Tuned",
  metadata: { name: "bad", namespace: tuningNamespace },
  spec: {
    profile: [
      { name: "bad", data: "[main]\ninclude=nowhere\n[sysctll]\nx=1\n[cpu]\ngovenor=x\n[sysctl]\nvm.swapiness=1\n" },
      { name: "../../x", data: "" },
    ],
    recommend: [{ profile: "bad", priority: 10 }],
  },
};
const errors = [
  'profile[1].name: "../../x" is not a valid name of a profile',
  'profile[0].data:2: profile "nowhere" does not exist; no node gets this text',
  'recommend[0].profile: bad/tuned.conf:2: profile "nowhere" does not exist; only nodes that have the profile already keep it, with its last usable text',
  'profile[0].data:3: [sysctll] has no effect: TuneD has no plug-in "sysctll"; did you mean "sysctl"?',
  'profile[0].data:6: [cpu] govenor has no effect: it is not an option of [cpu]; did you mean "governor"?',
];
const warnings = ['profile[0].data:8: sysctl vm.swapiness is not known; did you mean "vm.swappiness"?'];

it("mistakes in a Tuned: one list in the condition, the event, the warnings on apply and the plan", async () => {
  const { client, dir, signal, run, runOperator } = await testCluster();
  const seen = async <T extends KubeObject>(of: KindRef<T>, is: (object: T) => boolean): Promise<T> => {
    for await (const event of client.watch(of, { sendInitialEvents: true, signal }))
      if ((event.type === "ADDED" || event.type === "MODIFIED") && is(event.object)) return event.object;
    throw new Error(`the watch of ${of.plural} ended`);
  };
  const labels = { "kubernetes.io/os": "linux" };
  await client.create(kinds.node, { apiVersion: "v1", kind: "Node", metadata: { name: "n", labels } });
  runOperator();
  const { handlers, cluster } = attuneHandlers(client, { namespace: "attune-system" });
  run(cluster.run(signal));
  await cluster.whenSettled();
  await client.create(tunedKind, good);
  await seen<Profile>(profileKind, ({ spec }) => spec.config.tunedProfile === "good");

  const terminal = new RecordingTerminal();
  const file = join(dir, "bad.yaml");
  await writeFile(file, writeYaml(bad));
  const around = { terminal, signal, stdin: () => Promise.resolve("") };
  await planOn(client, { filename: [file], output: "json" }, around);
  const { findings, changes } = JSON.parse(terminal.stdout) as PlanDocument;
  expect(changes).toEqual([]);
  expect(findings.map(({ severity, message }) => `${severity}: ${message}`)).toEqual([
    ...errors.map((message) => `error: ${message}`),
    ...warnings.map((message) => `warning: ${message}`),
    "note: none of its rules wins on any node",
  ]);

  const handler = handlers.admission.find(({ name }) => name === "tuneds");
  const review = await handler?.review({ operation: "CREATE", object: bad } as unknown as AdmissionRequest);
  expect(review).toEqual({ type: "allow", warnings: [...errors, ...warnings] });

  await client.create(tunedKind, bad);
  const judged = await seen(tunedKind, ({ metadata, status }) => metadata.name === "bad" && status !== undefined);
  const sentences = errors.map((error) => (error.endsWith("?") ? error : `${error}.`));
  const shown = `${sentences.join(" ")} And 1 more`;
  expect(findCondition(judged.status?.conditions, "Valid")).toMatchObject({ status: "False", message: shown });
  const event = await seen<KubeObject>(kinds.event, ({ reason }) => reason === "InvalidConfiguration");
  expect(event).toMatchObject({ type: "Warning", involvedObject: { kind: "Tuned", name: "bad" } });

  const typo: Tuned = {
    ...bad,
    metadata: { name: "typo", namespace: tuningNamespace },
    spec: {
      profile: [{ name: "typo", data: "[cpu]\ngovernorr=performance\n[sysctl]\nvm.swappiness=${undefined}\n" }],
      recommend: [{ profile: "typo", priority: 5 }],
    },
  };
  await client.create(tunedKind, typo);
  const mistyped = await seen(tunedKind, ({ metadata, status }) => metadata.name === "typo" && status !== undefined);
  expect(findCondition(mistyped.status?.conditions, "Valid")).toMatchObject({ status: "False" });
  const profile = await client.get(profileKind, "n", { namespace: tuningNamespace });
  expect(profile.spec.config.tunedProfile).toBe("good");
});

it("a Tuned in another namespace, and labels of no pool: the same words everywhere, and no node is affected", async () => {
  const { client, dir, signal, run, runOperator } = await testCluster(machineConfigCrds);
  const elsewhere = "elsewhere";
  await client.create(kinds.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: elsewhere } });
  const labels = { "kubernetes.io/os": "linux" };
  await client.create(kinds.node, { apiVersion: "v1", kind: "Node", metadata: { name: "n", labels } });
  const spec = { matchLabels: { x: "y" } };
  const { apiVersion, kind } = machineConfigPoolKind;
  const pool = { apiVersion, kind, metadata: { name: "worker" }, spec: { machineConfigSelector: spec } };
  await client.create(machineConfigPoolKind, pool);
  runOperator();
  const { handlers, cluster } = attuneHandlers(client, { namespace: "attune-system" });
  run(cluster.run(signal));
  await cluster.whenSettled();

  const stray: Tuned = { ...good, metadata: { name: "stray", namespace: elsewhere } };
  const idle: Tuned = {
    ...good,
    metadata: { name: "idle", namespace: tuningNamespace },
    spec: { recommend: [{ profile: "openshift-node", priority: 5, machineConfigLabels: { role: "gpu" } }] },
  };
  const cases = [
    {
      tuned: stray,
      message: `it is in namespace elsewhere: Tuneds outside namespace ${tuningNamespace} are ignored`,
      condition: { status: "False", reason: "InvalidConfiguration" },
    },
    {
      tuned: idle,
      message: "recommend[0].machineConfigLabels: no pool takes MachineConfigs with role=gpu; the rule matches no node",
      condition: { status: "True", reason: "AsExpected" },
    },
  ];
  for (const { tuned, message, condition } of cases) {
    const { name = "", namespace } = tuned.metadata;
    const terminal = new RecordingTerminal();
    const file = join(dir, `${name}.yaml`);
    await writeFile(file, writeYaml(tuned));
    await planOn(client, { filename: [file], output: "json" }, { terminal, signal, stdin: () => Promise.resolve("") });
    const { findings } = JSON.parse(terminal.stdout) as PlanDocument;
    expect(findings.map((finding) => finding.message)).toContain(message);
    const handler = handlers.admission.find((one) => one.name === "tuneds");
    const review = await handler?.review({ operation: "CREATE", object: tuned } as unknown as AdmissionRequest);
    expect(review).toEqual({ type: "allow", warnings: [message] });

    await client.create(tunedKind, tuned, { namespace });
    for await (const event of client.watch(tunedKind, { namespace, sendInitialEvents: true, signal })) {
      if (event.type !== "ADDED" && event.type !== "MODIFIED") continue;
      if (event.object.metadata.name !== name || !event.object.status) continue;
      expect(findCondition(event.object.status.conditions, "Valid")).toMatchObject({ ...condition, message });
      break;
    }
    if (condition.status === "True") continue;
    for await (const event of client.watch(kinds.event, { namespace, sendInitialEvents: true, signal })) {
      if (event.type !== "ADDED" && event.type !== "MODIFIED") continue;
      const { involvedObject, type, reason } = event.object;
      if (involvedObject.name !== name) continue;
      expect([type, reason]).toEqual(["Warning", condition.reason]);
      break;
    }
  }
  const profile = await client.get(profileKind, "n", { namespace: tuningNamespace });
  expect(profile.spec.config.tunedProfile).toBe("openshift-node");
});
