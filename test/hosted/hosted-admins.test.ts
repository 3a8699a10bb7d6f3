import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ifThere } from "../../src/cluster/kube/api-error.ts";
import type { KindRef } from "../../src/cluster/kube/client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { kindOf } from "../../src/cluster/kube/manifest-kinds.ts";
import { keys } from "../../src/domain/hosted/protocol.ts";
import { machineConfigKind, machineConfigPoolKind } from "../../src/domain/machine-config/api.ts";
import { apiVersion, hostedClusterKind, nodePoolKind } from "../../src/domain/node-pool/api.ts";
import { profileKind, tunedKind, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { clusterOperatorKind } from "../../src/domain/node-tuning/node-tuning-controller.ts";
import { startTestWebhook, type TestWebhook } from "../../src/embedded/apiserver/testing/test-webhook.ts";
import { type Condition, findCondition } from "../../src/language/object/condition.ts";
import { equal } from "../../src/language/object/json.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { runManagement } from "../../src/program/management/management.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { recording, type RecordedRequest } from "../node-tuning/recorded-requests.ts";
import { HostedOperator } from "./hosted-operator.ts";
import { controlPlane, operatorAccount, poolNamespace, type TwoClusters, twoClusters } from "./two-clusters.ts";

const users = { namespace: poolNamespace };
const inControlPlane = { namespace: controlPlane };
const inTuning = { namespace: tuningNamespace };
const merge = (patch: object): { type: "merge"; patch: object } => ({ type: "merge", patch });
const held = merge({ metadata: { finalizers: ["example.com/held"] } });
const operatorName = `system:serviceaccount:${tuningNamespace}:attune-operator`;
/** Retries back off to 30 seconds: in the time of a test there are few. */
const fewRequests = 150;

let clusters: TwoClusters;
let operator: HostedOperator;
const requests: RecordedRequest[] = [];
const stop = new AbortController();
let running: Promise<void> | undefined;

beforeAll(async () => {
  clusters = await twoClusters();
  const { management, hosted } = clusters;
  const counted = recording(await operatorAccount(hosted), (request) => requests.push(request));
  operator = new HostedOperator({ management, hosted: { client: counted } }, "documented", { features: undefined });
  const cluster = { apiVersion, kind: "HostedCluster", metadata: { name: "demo" }, spec: {} };
  await management.client.create(hostedClusterKind, cluster, users);
  for (const name of ["np1", "np2"]) {
    const labels = { "kubernetes.io/os": "linux", [keys.nodePool]: name };
    await hosted.client.create(kinds.node, { apiVersion: "v1", kind: "Node", metadata: { name: `${name}-a`, labels } });
    await configure(name, "first");
    const refs = { tuningConfig: [{ name }], config: [{ name }] };
    const spec = { clusterName: "demo", replicas: 1, management: { upgradeType: "InPlace" as const }, ...refs };
    await management.client.create(nodePoolKind, { apiVersion, kind: "NodePool", metadata: { name }, spec }, users);
  }
  running = runManagement({
    client: management.client,
    signal: stop.signal,
    image: "attune:test",
    leaderElection: false,
  });
  operator.start();
  for (const name of ["np1", "np2"]) await reached(name, "first");
});
afterAll(async () => {
  await operator?.stop();
  stop.abort();
  await running;
  await clusters?.close();
});

/** A Tuned and a MachineConfig with this value. */
async function configure(nodePool: string, value: string): Promise<void> {
  const spec = { profile: [{ name: value, data: "[main]\n" }], recommend: [{ profile: value, priority: 20 }] };
  const tuned = { apiVersion: tunedKind.apiVersion, kind: "Tuned", metadata: { name: nodePool }, spec };
  const { apiVersion: version, kind } = machineConfigKind;
  const config = { apiVersion: version, kind, metadata: { name: nodePool }, spec: { kernelArguments: [value] } };
  const data = { tuning: JSON.stringify(tuned), config: JSON.stringify(config) };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: nodePool, ...users }, data };
  await clusters.management.client.patch(
    kinds.configMap,
    nodePool,
    { type: "apply", object, force: true },
    { ...users, fieldManager: "test" },
  );
}

async function target(nodePool: string): Promise<string> {
  const { spec } = await clusters.hosted.client.get(machineConfigPoolKind, nodePool);
  return spec?.configuration?.name ?? "";
}

/** The node is told what this value comes to, and the NodePool says nothing of an obstacle. */
async function reached(nodePool: string, value: string): Promise<void> {
  const { client } = clusters.hosted;
  await eventually(`${nodePool} has ${value}`, async () => {
    const profile = await ifThere(client.get(profileKind, `${nodePool}-a`, inTuning));
    const name = await target(nodePool);
    const config = name === "" ? undefined : await ifThere(client.get(machineConfigKind, name));
    return (
      profile?.spec.config.tunedProfile === value &&
      config?.spec?.kernelArguments?.join() === value &&
      (await writable(nodePool))?.status === "True"
    );
  });
}

async function writable(nodePool: string): Promise<Condition | undefined> {
  const { status } = await clusters.management.client.get(nodePoolKind, nodePool, users);
  return findCondition(status?.conditions, "HostedClusterWritable");
}

/** All of the management cluster that decides: everything but reports and notes of the operator. */
async function decisive(): Promise<unknown> {
  const { client } = clusters.management;
  const found = await Promise.all([
    client.list(kinds.configMap),
    client.list(nodePoolKind),
    client.list(hostedClusterKind),
    client.list(kinds.secret),
    client.list(kinds.namespace),
  ]);
  return found
    .flatMap(({ items }) => items as KubeObject[])
    .filter(({ metadata: { name = "" } }) => !/^(pool-report|released-rendering|last-good)-/.test(name))
    .map(({ kind, metadata: { name, labels, annotations }, spec, data }) => {
      return { kind, name, labels, annotations, spec, data };
    });
}

const machineConfiguration = "machineconfiguration.openshift.io";

/** An admission policy against the operator. */
function policy(apiGroups: string[], resources: string[], more = "true"): KubeObject[] {
  const version = "admissionregistration.k8s.io/v1";
  const operations = ["CREATE", "UPDATE", "DELETE"];
  const resourceRules = [{ apiGroups, apiVersions: ["*"], operations, resources }];
  const expression = `!(request.userInfo.username == '${operatorName}' && ${more})`;
  const metadata = { name: "tenant" };
  return [
    {
      apiVersion: version,
      kind: "ValidatingAdmissionPolicy",
      metadata,
      spec: { matchConstraints: { resourceRules }, validations: [{ expression, message: "tenants decide" }] },
    },
    {
      apiVersion: version,
      kind: "ValidatingAdmissionPolicyBinding",
      metadata,
      spec: { policyName: "tenant", validationActions: ["Deny"] },
    },
  ];
}

/** A webhook that does not answer: every write fails. */
function webhook(apiGroups: string[], resources: string[]): KubeObject[] {
  const hook = {
    name: "tenant.example.com",
    clientConfig: { url: "https://127.0.0.1:1/" },
    rules: [{ apiGroups, apiVersions: ["*"], operations: ["CREATE", "UPDATE", "DELETE"], resources }],
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    timeoutSeconds: 1,
  };
  const { apiVersion: version, kind } = kinds.validatingWebhookConfiguration;
  return [{ apiVersion: version, kind, metadata: { name: "tenant" }, webhooks: [hook] }];
}

/** Changes what is written. */
function mutatingWebhook({ url, caBundle }: TestWebhook, apiGroups: string[], resources: string[]): KubeObject {
  const hook = {
    name: "tenant.example.com",
    clientConfig: { url, caBundle },
    rules: [{ apiGroups, apiVersions: ["*"], operations: ["CREATE", "UPDATE"], resources }],
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
  };
  const { apiVersion: version, kind } = kinds.mutatingWebhookConfiguration;
  return { apiVersion: version, kind, metadata: { name: "tenant" }, webhooks: [hook] };
}

function reviewed(review: Record<string, unknown>, path: string, value: string): object {
  const { uid } = review["request"] as { uid: string };
  const patch = btoa(JSON.stringify([{ op: "replace", path, value }]));
  const { apiVersion: version, kind } = review;
  return { apiVersion: version, kind, response: { uid, allowed: true, patchType: "JSONPatch", patch } };
}

/** Returns when the operator is refused to write objects of this kind: kube-apiserver follows policies some moments later. */
async function hinder(obstacle: readonly KubeObject[], kind: KindRef): Promise<void> {
  const { client } = clusters.hosted;
  await applyManifests(client, obstacle);
  const { items } = await client.list<KubeObject>(kind);
  const { name = "", namespace } = items.find(({ metadata }) => metadata.name?.includes("np1"))?.metadata ?? {};
  const own = client.as({ user: operatorName, groups: ["system:masters"] });
  const probe = merge({ metadata: { annotations: { probe: "" } } });
  await eventually(`${kind.kind} ${name} is refused`, async () => {
    const refused = (error: unknown): boolean => /tenants decide|webhook/.test(String(error));
    return own.patch(kind, name, probe, { namespace, dryRun: true }).then(() => false, refused);
  });
}

async function remove(objects: readonly KubeObject[]): Promise<void> {
  for (const object of objects.toReversed())
    await clusters.hosted.client.delete(kindOf(object), object.metadata.name ?? "");
}

/** Another value for each test. */
let values = 0;
const next = (): string => `value-${values++}`;

describe("an administrator of a hosted cluster", { timeout: 120_000 }, () => {
  it.each<[string, KindRef, readonly KubeObject[], RegExp]>([
    ["Nodes", kinds.node, policy([""], ["nodes", "nodes/*"]), /(patch|update) Node np1-a: .*tenants decide/],
    ["Profiles", profileKind, policy(["tuned.openshift.io"], ["profiles"]), /update Profile np1-a: .*tenants decide/],
    ["Tuneds", tunedKind, policy(["tuned.openshift.io"], ["tuneds"]), /Tuned np1-\w+: .*tenants decide/],
    [
      "pools",
      machineConfigPoolKind,
      policy([machineConfiguration], ["machineconfigpools"]),
      /MachineConfigPool np1: .*tenants decide/,
    ],
    [
      "rendered configs",
      machineConfigKind,
      policy([machineConfiguration], ["machineconfigs"]),
      /create MachineConfig rendered-np1-/,
    ],
    [
      "pools by a webhook",
      machineConfigPoolKind,
      webhook([machineConfiguration], ["machineconfigpools"]),
      /MachineConfigPool np1: .*webhook/,
    ],
  ])("who refuses writes of %s holds up a change, and the NodePool says so", async (_, kind, obstacle, message) => {
    const value = next();
    await hinder(obstacle, kind);
    const sent = requests.length;
    await configure("np1", value);
    const found = await eventually("reported", async () => {
      const condition = await writable("np1");
      return condition?.status === "False" && condition;
    });
    expect(found).toMatchObject({ reason: "WriteRefused", message: expect.stringMatching(message) });
    const before = await decisive();
    await remove(obstacle);
    await reached("np1", value);
    expect(requests.length - sent).toBeLessThan(fewRequests);
    expect(await decisive()).toEqual(before);
  });

  it("who changes Profiles by a webhook as they are written keeps nothing once it is gone, and meanwhile the NodePool says so", async () => {
    const { client } = clusters.hosted;
    const hook = await startTestWebhook((review) => reviewed(review, "/spec/config/tunedProfile", "openshift-node"));
    onTestFinished(() => hook.close());
    const obstacle = [mutatingWebhook(hook, ["tuned.openshift.io"], ["profiles"])];
    await applyManifests(client, obstacle);
    const probe = merge({ metadata: { annotations: { probe: "" } } });
    await eventually("Profiles are changed", async () => {
      const { spec } = await client.patch(profileKind, "np1-a", probe, { ...inTuning, dryRun: true });
      return spec.config.tunedProfile === "openshift-node";
    });
    const sent = requests.length;
    const value = next();
    await configure("np1", value);
    const found = await eventually("reported", async () => {
      const condition = await writable("np1");
      return condition?.status === "False" && condition;
    });
    expect(found.message).toMatch(/update Profile np1-a: the server keeps something else/);
    expect((await writable("np2"))?.status).toBe("True");
    await remove(obstacle);
    await reached("np1", value);
    expect(requests.length - sent).toBeLessThan(fewRequests);
  });

  it("who refuses writes for one NodePool holds up no other", async () => {
    const [one, other] = [next(), next()];
    const obstacle = policy(
      ["tuned.openshift.io", machineConfiguration, ""],
      ["profiles", "machineconfigpools", "machineconfigs", "nodes"],
      "object != null && object.metadata.name.contains('np1')",
    );
    await hinder(obstacle, profileKind);
    await configure("np1", one);
    await configure("np2", other);
    await eventually("reported", async () => (await writable("np1"))?.status === "False");
    await reached("np2", other);
    await remove(obstacle);
    await reached("np1", one);
  });

  it.each<[string, KindRef, () => Promise<string>]>([
    ["a pool", machineConfigPoolKind, () => Promise.resolve("np1")],
    ["a rendered config", machineConfigKind, () => target("np1")],
  ])("who deletes %s and holds it by a finalizer keeps nothing", async (_, kind, named) => {
    const { client } = clusters.hosted;
    const name = await named();
    const { metadata } = await client.patch(kind, name, held);
    await ifThere(client.delete(kind, name));
    await eventually("another one", async () => {
      const there = await ifThere(client.get(kind, name));
      return there?.metadata.uid !== metadata.uid && there?.metadata.deletionTimestamp === undefined;
    });
    const value = next();
    await configure("np1", value);
    await reached("np1", value);
  });

  it("who edits the ClusterOperator finds it as it was", async () => {
    const { client } = clusters.hosted;
    const status = {
      conditions: [{ type: "Degraded", status: "True", reason: "Mine", message: "mine" }],
      versions: [],
    };
    const read = async (): Promise<string[] | undefined> => {
      const { status: now } = await client.get(clusterOperatorKind, "node-tuning");
      return now?.conditions?.map((one) => `${one.type} ${one.status} ${one.reason} ${one.message}`).toSorted();
    };
    const before = await read();
    await client.patch(clusterOperatorKind, "node-tuning", merge({ status }), { subresource: "status" });
    await eventually("as it was", async () => equal(await read(), before));
    await client.delete(clusterOperatorKind, "node-tuning");
    await eventually("as it was", async () => equal(await read(), before));
  });
});

it("the operator wrote nothing but its ConfigMaps into the management cluster", async () => {
  const { items } = await clusters.management.client.list(kinds.configMap, inControlPlane);
  const own = ["last-good-tuned", "nodes", "pool-order", "pool-report", "released-rendering", "tuned"];
  const names = own.flatMap((name) => ["np1", "np2"].map((nodePool) => `${name}-${nodePool}`));
  const found = items.map(({ metadata }) => metadata.name ?? "");
  expect(new Set(found)).toEqual(new Set(["kube-root-ca.crt", ...names]));
});
