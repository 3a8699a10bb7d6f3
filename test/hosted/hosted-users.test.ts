import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isNotFound } from "../../src/cluster/kube/api-error.ts";
import type { KindRef } from "../../src/cluster/kube/client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { configMapKind } from "../../src/domain/hosted/control-plane-controller.ts";
import { profileKind, tunedKind, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { clusterOperatorKind } from "../../src/domain/node-tuning/node-tuning-controller.ts";
import { rbacObjects } from "../../src/language/object/grant.ts";
import { equal } from "../../src/language/object/json.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { hostedOperatorGrants } from "../../src/program/management/rbac.ts";
import { eventually, gone } from "../node-tuning/eventually.ts";
import { recording, type RecordedRequest } from "../node-tuning/recorded-requests.ts";
import { clientOfAccount } from "../servers/client-for.ts";
import { configMapOf } from "./cases.ts";
import { HostedOperator } from "./hosted-operator.ts";
import { controlPlane, type TwoClusters, twoClusters } from "./two-clusters.ts";

const poolLabel = "hypershift.openshift.io/nodePool";
const nodePoolName = "hypershift.openshift.io/nodePoolName";
const mirrored = "web-566a8046";
const copies = "openshift-config-managed";

let clusters: TwoClusters;
let operator: HostedOperator;
const requests: RecordedRequest[] = [];
let before: readonly unknown[];

beforeAll(async () => {
  clusters = await twoClusters();
  const { management, hosted } = clusters;
  const account = { namespace: controlPlane, name: "attune-operator" };
  const grants = hostedOperatorGrants.map((grant) => ({ ...grant, within: controlPlane }));
  await applyManifests(management.client, rbacObjects("attune:operator", account, grants));
  const limited = await clientOfAccount(management.server, account.namespace, account.name);
  const client = recording(limited, (request) => requests.push(request));
  operator = new HostedOperator({ management: { client }, hosted });
  for (const pool of ["np1", "np2"]) {
    await hosted.client.create(kinds.node, {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: `${pool}-node`, labels: { "kubernetes.io/os": "linux", [poolLabel]: pool } },
    });
    const tuned = { tuned: pool === "np1" ? "web" : "db", priority: 20 };
    const marks = { "hypershift.openshift.io/tuned-config": "true", [poolLabel]: pool };
    await create(`tuned-${pool}`, marks, { tuned: [tuned] });
  }
  const marks = { "hypershift.openshift.io/kubeletconfig-config": "true", [poolLabel]: "np1" };
  await create("kubelet-np1", marks, { config: [{ kubeletConfig: "more-pods" }] });
  operator.start();
  before = await eventually("the hosted cluster is tuned", async () => {
    const found = await state();
    return found.length === 10 && found;
  });
});
afterAll(async () => {
  await operator?.stop();
  await clusters?.close();
});

async function create(name: string, labels: Record<string, string>, data: Record<string, object[]>): Promise<void> {
  const annotations = { [poolLabel]: `clusters/${labels[poolLabel]}` };
  const { metadata, ...content } = configMapOf({ name, labels, annotations, data });
  const object = { ...content, metadata: { ...metadata, uid: undefined } };
  await clusters.management.client.create(configMapKind, object);
}

/** Everything in the hosted cluster that decides about nodes. */
async function state(): Promise<unknown[]> {
  const { client } = clusters.hosted;
  const place = { namespace: tuningNamespace };
  const found = await Promise.all([
    client.list(kinds.node),
    client.list(tunedKind, place),
    client.list(profileKind, place),
    client.list(kinds.daemonSet, place),
    client.list(kinds.configMap, { namespace: copies }),
    client.list(clusterOperatorKind),
  ]);
  return found
    .flatMap(({ items }) => items as KubeObject[])
    .filter(isNotRoot)
    .map(reduced);
}

function isNotRoot({ metadata }: KubeObject): boolean {
  return metadata.name !== "kube-root-ca.crt";
}

function reduced({ metadata, ...object }: KubeObject): unknown {
  const { name, labels = {}, annotations = {}, finalizers = [], deletionTimestamp } = metadata;
  const { kind, spec, data, immutable } = object as KubeObject & {
    spec?: unknown;
    data?: unknown;
    immutable?: unknown;
  };
  // The annotation of the DaemonSet counts its generations.
  const own = kind === "DaemonSet" ? {} : { annotations, spec };
  return { kind, name, labels, finalizers, deletionTimestamp, data, immutable, template: templateOf(object), ...own };
}

function templateOf({ spec }: Omit<KubeObject, "metadata">): unknown {
  return (spec as { template?: unknown } | undefined)?.template;
}

interface Edit {
  readonly of: KindRef;
  readonly name: string;
  readonly namespace?: string;
  /** A merge patch. Absent: the object is deleted. */
  readonly patch?: object;
  readonly isDeleted?: boolean;
}

const inTuning = { namespace: tuningNamespace };
const held = { metadata: { finalizers: ["example.com/held"] } };
const node = { of: kinds.node as KindRef, name: "np1-node" };
const tuned = { of: tunedKind as KindRef, name: mirrored, ...inTuning };
const theDefault = { of: tunedKind as KindRef, name: "default", ...inTuning };
const profile = { of: profileKind as KindRef, name: "np1-node", ...inTuning };
const agents = { of: kinds.daemonSet as KindRef, name: "tuned", ...inTuning };
const copy = { of: kinds.configMap as KindRef, name: "kubelet-np1", namespace: copies };
const foreign = { config: { tunedProfile: "db-profile", debug: true } };

const edits: [string, Edit][] = [
  ["the NodePool of a Node", { ...node, patch: { metadata: { labels: { [poolLabel]: "np2" } } } }],
  ["a Node without its NodePool", { ...node, patch: { metadata: { labels: { [poolLabel]: null } } } }],
  ["the rules of a Tuned", { ...tuned, patch: { spec: { recommend: [{ profile: "web-profile", priority: 0 }] } } }],
  ["the text of a Tuned", { ...tuned, patch: { spec: { profile: [{ name: "web-profile", data: "[main]\n" }] } } }],
  ["the NodePool of a Tuned", { ...tuned, patch: { metadata: { labels: { [nodePoolName]: "np2" } } } }],
  ["a Tuned without its NodePool", { ...tuned, patch: { metadata: { labels: { [nodePoolName]: null } } } }],
  [
    "the annotations of a Tuned",
    { ...tuned, patch: { metadata: { annotations: { "tuned.openshift.io/deferred": "always" } } } },
  ],
  ["the state of a Tuned", { ...tuned, patch: { spec: { managementState: "Removed" } } }],
  ["a Tuned", tuned],
  ["a Tuned that a finalizer holds", { ...tuned, patch: held, isDeleted: true }],
  ["the state of the default Tuned", { ...theDefault, patch: { spec: { managementState: "Unmanaged" } } }],
  ["the removal by the default Tuned", { ...theDefault, patch: { spec: { managementState: "Removed" } } }],
  ["the NodePool of the default Tuned", { ...theDefault, patch: { metadata: { labels: { [nodePoolName]: "np1" } } } }],
  ["the rules of the default Tuned", { ...theDefault, patch: { spec: { recommend: [] } } }],
  ["the default Tuned", theDefault],
  ["a Profile", { ...profile, patch: { spec: foreign } }],
  [
    "the annotations of a Profile",
    { ...profile, patch: { metadata: { annotations: { "tuned.openshift.io/deferred": "always" } } } },
  ],
  ["no Profile", profile],
  ["a Profile that a finalizer holds", { ...profile, patch: { ...held, spec: foreign }, isDeleted: true }],
  ["no agents", agents],
  [
    "the image of agents",
    {
      ...agents,
      patch: { spec: { template: { spec: { containers: [{ name: "agent", image: "example.com/other" }] } } } },
    },
  ],
  ["where agents run", { ...agents, patch: { spec: { template: { spec: { nodeSelector: { mine: "" } } } } } }],
  [
    "what agents avoid",
    {
      ...agents,
      patch: {
        spec: {
          template: {
            spec: {
              affinity: {
                nodeAffinity: {
                  requiredDuringSchedulingIgnoredDuringExecution: {
                    nodeSelectorTerms: [{ matchExpressions: [{ key: "mine", operator: "Exists" }] }],
                  },
                },
              },
            },
          },
        },
      },
    },
  ],
  ["the copy of a KubeletConfig", { ...copy, patch: { data: { config: "mine" } } }],
  ["a copy without labels", { ...copy, patch: { metadata: { labels: null } } }],
  ["a copy that cannot be changed", { ...copy, patch: { immutable: true } }],
  ["no copy", copy],
];

describe("users of the hosted cluster cannot keep", { timeout: 60_000 }, () => {
  it.each(edits)("%s", async (_, { of, name, namespace, patch, isDeleted = !patch }) => {
    const { client } = clusters.hosted;
    const place = namespace === undefined ? {} : { namespace };
    if (patch) await client.patch(of, name, { type: "merge", patch }, place);
    if (isDeleted) await client.delete(of, name, place);
    await restored();
  });

  it.each([
    ["", true],
    [", also while no operator runs", false],
  ])("a Node that they create anew in another NodePool%s", async (_, isRunning) => {
    const { client } = clusters.hosted;
    const { metadata, ...rest } = await client.get(kinds.node, node.name);
    if (!isRunning) await operator.stop();
    await client.delete(kinds.node, node.name);
    if (isRunning) await gone("its Profile", () => client.get(profileKind, node.name, inTuning));
    const labels = { ...metadata.labels, [poolLabel]: "np2" };
    await client.create(kinds.node, { ...rest, metadata: { name: node.name, labels } });
    if (!isRunning) operator.start();
    await restored();
  });

  it("a Tuned of their own, not even one that a finalizer holds", async () => {
    const { client } = clusters.hosted;
    const labels = { [nodePoolName]: "np1" };
    const spec = { profile: [{ name: "mine", data: "[main]\n" }], recommend: [{ profile: "mine", priority: 0 }] };
    const metadata = { name: "mine-566a8046", ...inTuning, labels, finalizers: ["example.com/held"] };
    await client.create(tunedKind, { apiVersion: tunedKind.apiVersion, kind: "Tuned", metadata, spec }, inTuning);
    await eventually("it is being deleted", async () => {
      const { metadata: now } = await client.get(tunedKind, "mine-566a8046", inTuning);
      return now.deletionTimestamp !== undefined;
    });
    const { spec: chosen } = await client.get(profileKind, "np1-node", inTuning);
    expect(chosen.config.tunedProfile).toBe("web-profile");
    const patch = { metadata: { finalizers: null } };
    await client.patch(tunedKind, "mine-566a8046", { type: "merge", patch }, inTuning).catch(ignoreNotFound);
    await restored();
  });
});

it("edits in a loop never reach a Profile, and do not outlast the loop", { timeout: 60_000 }, async () => {
  const { client } = clusters.hosted;
  const generation = async (): Promise<unknown> =>
    (await client.get(profileKind, "np1-node", inTuning)).metadata.generation;
  const first = await generation();
  const several = [node, tuned, theDefault].map(({ of }) => edits.filter(([, edit]) => edit.of === of && edit.patch));
  for (let round = 0; round < 10; round++)
    await Promise.all(
      several.map(async (some) => {
        const [, { of, name, namespace, patch = {} }] = some[round % some.length]!;
        await client.patch(of, name, { type: "merge", patch }, namespace === undefined ? {} : { namespace });
      }),
    );
  await restored();
  expect(await generation()).toBe(first);
});

it("nothing that they do changes the management cluster, where the operator used ConfigMaps and Events of one namespace", () => {
  const writes = requests.filter(({ verb, resource }) => resource !== "events" && verb !== "list" && verb !== "watch");
  const names = writes.map(({ verb, name = "" }) => `${verb} ${name}`);
  // Before the first edit: notes of its own.
  expect(new Set(names)).toEqual(new Set(["create "]));
  expect(writes).toHaveLength(4);
  expect(new Set(requests.map(({ namespace }) => namespace))).toEqual(new Set([controlPlane]));
  // Events tell that an edit was set back.
  expect(new Set(requests.map(({ resource }) => resource))).toEqual(new Set(["configmaps", "events"]));
});

/** The state is as before, also a moment later. */
async function restored(): Promise<void> {
  let last: unknown[] = [];
  let agreed = 0;
  await eventually("the hosted cluster is as before", async () => {
    last = await state();
    agreed = equal(last, before) ? agreed + 1 : 0;
    return agreed === 3;
  }).catch((error: unknown) => {
    expect(last).toEqual(before);
    throw error;
  });
}

function ignoreNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
  return undefined;
}
