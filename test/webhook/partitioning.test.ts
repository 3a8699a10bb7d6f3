import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds, untyped } from "../../src/cluster/kube/kinds.ts";
import { createPromMetrics } from "../../src/cluster/runtime/metrics/prom-metrics.ts";
import { startTestWebhook, type TestWebhook } from "../../src/embedded/apiserver/testing/test-webhook.ts";
import { readRefusal, refusedReason } from "../../src/domain/workload-partitioning/refusal-event.ts";
import { at } from "../../src/language/object/json.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { explainOn } from "../../src/program/cli/explain/explain.ts";
import { podStory, type PodStory } from "../../src/program/cli/explain/explain-pod.ts";
import { RecordingTerminal } from "../../src/program/cli/terminal/testing/recording-terminal.ts";
import { systemNamespace } from "../../src/program/operator/names.ts";
import { clientOfAccount } from "../servers/client-for.ts";
import { growingPause } from "../servers/until.ts";
import { emptyServers } from "../servers/server-under-test.ts";
import {
  allowed,
  cores,
  infrastructures,
  partitionedCluster,
  type PartitionedCluster,
  podObject,
  type RunningWebhook,
  target,
} from "./partitioned-cluster.ts";

interface Registered {
  readonly name: string;
  readonly failurePolicy: string;
  readonly timeoutSeconds: number;
  readonly matchConditions?: readonly unknown[];
}

const resources = "resources.workload.openshift.io/one";
const rewritten = {
  metadata: { annotations: { ...target, [resources]: '{"cpushares":256}' } },
  spec: { containers: [{ resources: { requests: { [cores]: "250" }, limits: { [cores]: "250" } } }] },
};
const node = (name: string, status = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name },
  status,
});

const olderBindings = untyped("v1", "Binding", "bindings", true);
const binding = (name: string, annotations: Record<string, string>): KubeObject => ({
  apiVersion: "v1",
  kind: "Binding",
  metadata: { name, annotations },
  target: { kind: "Node", name: "any" },
});
/** A ServiceAccount with all rights in its namespace, and none elsewhere. */
const ownerOfNamespace: KubeObject[] = [
  { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "owner" } },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    metadata: { name: "owner" },
    rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }],
  },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata: { name: "owner" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "owner" },
    subjects: [{ kind: "ServiceAccount", name: "owner", namespace: "users" }],
  },
];

for (const variant of emptyServers())
  describe(`admission of partitioned workloads, on the ${variant.name} server`, { timeout: 120_000 }, () => {
    let cluster: PartitionedCluster;
    let admin: HttpClient;
    let webhook: RunningWebhook;
    let metrics: Awaited<ReturnType<typeof createPromMetrics>>;

    beforeAll(async () => {
      cluster = await partitionedCluster(variant);
      ({ admin } = cluster);
      const ofUsers = ["users", "kubex", "openshiftx", `${systemNamespace}-x`];
      for (const name of [...ofUsers, "openshift-users"]) await cluster.namespace(name, allowed);
      metrics = await createPromMetrics();
      webhook = await cluster.webhook({ metrics });
    }, 120_000);
    afterAll(() => cluster?.close());
    beforeEach(() => {
      webhook.reviews.length = 0;
    });

    const create = (pod: KubeObject, namespace = "users", dryRun = false): Promise<KubeObject> =>
      admin.create<KubeObject>(kinds.pod, pod, { namespace, dryRun });
    const reviewed = (): string[] => webhook.reviews.map(({ handler }) => handler);

    it("is registered to refuse pods of users, and no others, when it has not answered for two seconds", async () => {
      const lists = [kinds.mutatingWebhookConfiguration, kinds.validatingWebhookConfiguration].map(
        async (kind) => (await admin.get(kind, "attune-webhook"))["webhooks"] as Registered[],
      );
      const registered = (await Promise.all(lists)).flat().filter(({ name }) => /^(pods|nodes)-/.test(name));
      expect(Object.fromEntries(registered.map((one) => [one.name, [one.failurePolicy, one.timeoutSeconds]]))).toEqual({
        "pods-partitioning.attune.dev": ["Fail", 2],
        "pods-partitioning-platform.attune.dev": ["Ignore", 2],
        "pods-shared-cpus.attune.dev": ["Fail", 2],
        "pods-shared-cpus-platform.attune.dev": ["Ignore", 2],
        "pods-instructions.attune.dev": ["Fail", 2],
        "pods-instructions-platform.attune.dev": ["Ignore", 2],
        "pods-partitioned.attune.dev": ["Fail", 2],
        "pods-partitioned-platform.attune.dev": ["Ignore", 2],
        "nodes-partitioned.attune.dev": ["Ignore", 2],
      });
      expect(registered.filter(({ matchConditions = [] }) => matchConditions.length === 0)).toEqual([]);
    });

    it("is sent a pod for either annotation alone, and for a request of any type of workload in any container", async () => {
      const ofType = { requests: { "batch.workload.openshift.io/cores": "1" } };
      const limits = { "batch.workload.openshift.io/cores": "1" };
      const containers = [{ name: "one", image: "i" }];
      const asking = [{ name: "asks", image: "i", resources: { ...ofType, limits } }];
      const sent = async (pod: KubeObject): Promise<string[]> => {
        webhook.reviews.length = 0;
        await create(pod, "users", true).catch(() => undefined);
        return reviewed();
      };
      const both = ["pods-partitioning", "pods-partitioned"];
      expect(await sent(podObject("target", { annotations: target }))).toEqual(both);
      // What a user may not write is taken away, and nothing is left to validate.
      const forCrio = { [resources]: '{"cpuset":"0"}' };
      expect(await sent(podObject("for-crio", { annotations: forCrio }))).toEqual(["pods-partitioning"]);
      expect((await create(podObject("for-crio", { annotations: forCrio }))).metadata.annotations).toBeUndefined();
      expect(await sent({ ...podObject("app"), spec: { containers: asking } })).toEqual(both);
      expect(await sent({ ...podObject("init"), spec: { containers, initContainers: asking } })).toEqual(both);
    });

    it("rewrites a pod that asks for it, also of the platform and in a dry run", async () => {
      const asks = podObject("asks", { annotations: target });
      expect(await create(asks, "users", true)).toMatchObject(rewritten);
      expect(await create(asks)).toMatchObject(rewritten);
      expect(await create(asks, "openshift-users")).toMatchObject(rewritten);
      expect(reviewed()).toEqual(
        ["dry run", "users", "platform"].flatMap(() => ["pods-partitioning", "pods-partitioned"]),
      );
    });

    it("counts each decision by the rule that decided and its outcome, and how long it took", async () => {
      const counted = async (): Promise<Map<string, number>> => {
        const series =
          /^attune_webhook_(?:decisions_total|request_duration_seconds_count)\{handler="([^"]+)"(?:,rule="([^"]+)",outcome="([^"]+)")?\} (\d+)$/gm;
        const found = [...(await metrics.text()).matchAll(series)];
        return new Map(found.map(([, ...labels]) => [labels.slice(0, 3).filter(Boolean).join(" "), Number(labels[3])]));
      };
      const before = await counted();
      const asks = podObject("counted", { annotations: target });
      const broken = podObject("counted", { annotations: { "target.workload.openshift.io/management": "{}" } });
      await create(asks, "users", true);
      await expect(create(broken, "users", true)).rejects.toMatchObject({ code: 422 });
      await create(asks, "kube-system", true);
      const added = async (): Promise<object> => {
        const rows = [...(await counted())].map(([key, count]) => [key, count - (before.get(key) ?? 0)] as const);
        return Object.fromEntries(rows.filter(([, count]) => count > 0));
      };
      await expect.poll(added).toEqual({
        "pods-partitioning rewritten rewritten": 1,
        "pods-partitioning effect-missing refused": 1,
        "pods-partitioning ns-not-annotated stripped": 1,
        "pods-partitioned valid passed": 1,
        "pods-partitioning": 3,
        "pods-partitioned": 1,
      });
    });

    it("leaves the owners of the fields of a pod as they are: it reads reviews without them", async () => {
      const { metadata } = await create(podObject("owned", { annotations: target }));
      const [owner, ...others] = metadata.managedFields ?? [];
      expect(others).toEqual([]);
      const [annotation = ""] = Object.keys(target);
      expect(owner?.fieldsV1).toHaveProperty(["f:metadata", "f:annotations", `f:${annotation}`]);
    });

    it("is sent no pod that does not ask for it, however large", async () => {
      const many = Array.from({ length: 1000 }, (_, n) => ({ name: `c${n}`, image: "i" }));
      const annotations = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`a${n}.example.com/b`, ""]));
      for (const pod of [
        podObject("plain"),
        { ...podObject("large", { annotations }), spec: { containers: many } },
        podObject("warned", { annotations: { "workload.openshift.io/warning": "x" } }),
      ])
        await create(pod);
      const labels = { type: "merge", patch: { metadata: { labels: { a: "b" }, annotations: { a: "b" } } } } as const;
      await admin.patch(kinds.pod, "plain", labels, { namespace: "users" });
      await admin.delete(kinds.pod, "plain", { namespace: "users", gracePeriodSeconds: 0 });
      expect(reviewed()).toEqual([]);
    });

    it("lets no update choose CPUs, which CRI-O would read when the container starts", async () => {
      await create(podObject("chooses"));
      const patched = (name: string, annotations: object): Promise<KubeObject> =>
        admin.patch<KubeObject>(
          kinds.pod,
          name,
          { type: "merge", patch: { metadata: { annotations } } },
          { namespace: "users" },
        );
      const cpus = { [resources]: '{"cpuset":"0"}' };
      expect((await patched("chooses", { ...target, ...cpus, a: "b" })).metadata.annotations).toEqual({ a: "b" });
      // CRI-O looks for the key alone.
      const empty = { "target.workload.openshift.io/management": "" };
      expect((await patched("chooses", empty)).metadata.annotations).toEqual({ a: "b" });
      await create(podObject("pinned", { annotations: target }));
      const { annotations } = rewritten.metadata;
      expect((await patched("pinned", { ...cpus, a: "b" })).metadata.annotations).toEqual({ ...annotations, a: "b" });
      expect((await patched("pinned", { a: null })).metadata.annotations).toEqual(annotations);
      expect(reviewed()).toEqual([
        "pods-instructions",
        "pods-instructions",
        "pods-partitioning",
        "pods-partitioned",
        "pods-instructions",
      ]);
    });

    it("lets neither a binding nor a status choose CPUs: the API server writes the annotations of both to the pod", async () => {
      const within = { namespace: "users" };
      const chosen = { [resources]: '{"cpuset":"0"}' };
      const accepted = (): boolean => false;
      const annotationsOf = async (name: string): Promise<unknown> =>
        (await admin.get(kinds.pod, name, within)).metadata.annotations;
      for (const object of ownerOfNamespace)
        await admin.create(
          untyped(object.apiVersion, object.kind, `${object.kind.toLowerCase()}s`, true),
          object,
          within,
        );
      const owner = await clientOfAccount(cluster.server, "users", "owner");
      const bind = (
        client: HttpClient,
        name: string,
        annotations: Record<string, string>,
        dryRun = false,
      ): Promise<unknown> =>
        client.create<KubeObject>(kinds.pod, binding(name, annotations), {
          ...within,
          name,
          subresource: "binding",
          dryRun,
        });
      const status = (client: HttpClient, name: string, patch: object): Promise<KubeObject> =>
        client.patch<KubeObject>(kinds.pod, name, { type: "merge", patch }, { ...within, subresource: "status" });
      const refused = { code: 403, message: expect.stringContaining("annotations that choose CPUs") as string };

      await create(podObject("bound", { annotations: target }));
      // A policy takes effect a little after it is written.
      for (const pause = growingPause(); ; await pause())
        if (await bind(owner, "bound", chosen, true).then(accepted, () => true)) break;
      webhook.reviews.length = 0;
      const ofOtherType = { "target.workload.openshift.io/other": "" };
      for (const annotations of [chosen, target, ofOtherType, { "cpu-shared.crio.io/one": "enable" }]) {
        await expect(bind(owner, "bound", annotations)).rejects.toMatchObject(refused);
        await expect(
          status(owner, "bound", { metadata: { annotations: { ...annotations, [resources]: null } } }),
        ).rejects.toMatchObject(refused);
      }
      await expect(status(admin, "bound", { metadata: { annotations: ofOtherType } })).rejects.toMatchObject(refused);
      // The embedded server does not serve the older path.
      if (variant.name === "real")
        await expect(owner.create(olderBindings, binding("bound", chosen), within)).rejects.toMatchObject(refused);
      const before = { ...rewritten.metadata.annotations };
      expect(await annotationsOf("bound")).toEqual(before);

      await status(owner, "bound", {
        metadata: { annotations: { "example.com/network": "a" } },
        status: { message: "x" },
      });
      await bind(owner, "bound", { "example.com/device": "0" });
      expect(await annotationsOf("bound")).toEqual({
        ...before,
        "example.com/network": "a",
        "example.com/device": "0",
      });
      await create(podObject("copied", { annotations: target }));
      webhook.reviews.length = 0;
      // As schedulers do that copy all annotations of the pod.
      await bind(admin, "copied", before);
      expect(await annotationsOf("copied")).toEqual(before);
      expect(reviewed()).toEqual([]);
    });

    it("leaves a pod without containers to the validation of the API server, which names the field", async () => {
      const { spec: _, ...empty } = podObject("empty");
      for (const spec of [{}, { containers: null }, { containers: [] }])
        await expect(create({ ...empty, spec })).rejects.toMatchObject({
          code: 422,
          message: expect.stringContaining("spec.containers: Required value") as string,
        });
      expect(reviewed()).toEqual([]);
    });

    // The embedded server serves neither subresource.
    if (variant.name === "real")
      it("refuses a resize that adds CPU to a pod on reserved CPUs, and takes ephemeral containers", async () => {
        await create(podObject("resized", { annotations: target }));
        const change = (subresource: string, spec: object): Promise<KubeObject> =>
          admin.patch<KubeObject>(
            kinds.pod,
            "resized",
            { type: "strategic", patch: { spec } },
            { namespace: "users", subresource },
          );
        const sized = (requests: object): object => ({ containers: [{ name: "one", resources: { requests } }] });
        await expect(change("resize", sized({ cpu: "1" }))).rejects.toMatchObject({
          code: 422,
          message: expect.stringContaining("part of its workload resource") as string,
        });
        await change("resize", sized({ memory: "65Mi" }));
        const debug = await change("ephemeralcontainers", { ephemeralContainers: [{ name: "debug", image: "i" }] });
        expect(debug.metadata.annotations).toEqual(rewritten.metadata.annotations);
      });

    it("refuses requests for the resource without the annotation, with the field", async () => {
      const requests = { [cores]: "10" };
      const containers = [{ name: "one", image: "i", resources: { requests, limits: requests } }];
      const plain = podObject("direct");
      const initContainers = containers.map((container) => ({ ...container, name: "init" }));
      for (const spec of [{ containers }, { ...(plain["spec"] as object), initContainers }])
        await expect(create({ ...plain, spec })).rejects.toMatchObject({
          code: 422,
          reason: "Invalid",
          message: expect.stringMatching(/pods-partitioned.attune.dev.*spec.containers.resources.requests/) as string,
        });
    });

    it("keeps its result when a later webhook changes the pod and the API server calls again", async () => {
      const changing = await changingWebhook(admin);
      try {
        const pod = podObject("changed", { annotations: { ...target } });
        const marked = { ...pod, metadata: { ...pod.metadata, labels: { changed: "yes" } } };
        for (const pause = growingPause(); changing.asked === 0; await pause()) await create(marked, "users", true);
        webhook.reviews.length = 0;
        const stored = await create(marked);
        expect(stored.metadata.annotations).toEqual({
          ...rewritten.metadata.annotations,
          [resources.replace("one", "added")]: '{"cpushares":102}',
        });
        const amounts = (at(stored, "spec", "containers") as { resources: object }[]).map((one) => one.resources);
        expect(amounts).toMatchObject([{ requests: { [cores]: "250" } }, { requests: { [cores]: "100" } }]);
        expect(reviewed()).toEqual(["pods-partitioning", "pods-partitioning", "pods-partitioned"]);
      } finally {
        await changing.close();
      }
    });

    it("allows shared CPUs only where the namespace does", async () => {
      const amounts = { cpu: "1", memory: "64Mi", "workload.openshift.io/enable-shared-cpus": "1" };
      const containers = [{ name: "one", image: "i", resources: { requests: amounts, limits: amounts } }];
      const pod = { ...podObject("shares"), spec: { containers } };
      await cluster.namespace("sharing", { "workload.mixedcpus.openshift.io/allowed": "" });
      await expect(create(pod)).rejects.toMatchObject({ code: 403, reason: "Forbidden" });
      expect(await create(pod, "sharing")).toMatchObject({
        metadata: { annotations: { "cpu-shared.crio.io/one": "enable" } },
      });
      const shared = { "cpu-shared.crio.io/one": "enable" };
      for (const namespace of ["users", "sharing"]) {
        const { metadata } = await create(podObject("asks-crio", { annotations: shared }), namespace);
        expect(metadata.annotations).toBeUndefined();
      }
      const update = { type: "merge", patch: { metadata: { annotations: shared } } } as const;
      const { metadata } = await admin.patch<KubeObject>(kinds.pod, "asks-crio", update, { namespace: "users" });
      expect(metadata.annotations).toBeUndefined();
      expect(new Set(reviewed())).toEqual(new Set(["pods-shared-cpus", "pods-instructions"]));
    });

    it("lets only nodes with the resource join, and sees no others", async () => {
      await expect(admin.create(kinds.node, node("bare"))).rejects.toMatchObject({
        code: 422,
        message: expect.stringMatching(/nodes-partitioned.attune.dev.*status.capacity/) as string,
      });
      expect(reviewed()).toEqual(["nodes-partitioned"]);
      await admin.create(
        kinds.node,
        node("partitioned", { capacity: { [cores]: "8k" }, allocatable: { [cores]: "8k" } }),
      );
      await admin.patch(kinds.node, "partitioned", { type: "merge", patch: { metadata: { labels: { a: "b" } } } });
      expect(reviewed()).toEqual(["nodes-partitioned"]);
    });

    it("shows refused pods and nodes as events where users look, and none for a dry run", async () => {
      await cluster.namespace("refusing", allowed);
      const broken = (name: string): KubeObject =>
        podObject(name, { annotations: { "target.workload.openshift.io/management": "{}" } });
      await expect(create(broken("in-a-dry-run"), "refusing", true)).rejects.toMatchObject({ code: 422 });
      for (const name of ["broken", "broken"])
        await expect(create(broken(name), "refusing")).rejects.toMatchObject({ code: 422 });
      const two = { ...target, "target.workload.openshift.io/other": "{}" };
      await expect(create(podObject("two", { annotations: two }), "refusing")).rejects.toMatchObject({ code: 422 });
      const { name: _, ...unnamed } = broken("").metadata;
      const ofController = { ...broken(""), metadata: { ...unnamed, generateName: "web-5d4f-" } };
      await expect(create(ofController, "refusing")).rejects.toMatchObject({ code: 422 });
      await expect(admin.create(kinds.node, node("bare"))).rejects.toMatchObject({ code: 422 });
      const refusals = async (namespace: string): Promise<KubeObject[]> =>
        (await admin.list(kinds.event, { namespace })).items.filter((event) => event["reason"] === refusedReason);
      const shown = (event: KubeObject): unknown => [
        at(event, "involvedObject", "name"),
        readRefusal(String(event["message"]))?.rule,
        event["count"],
      ];
      await expect
        .poll(async () => (await refusals("refusing")).map(shown))
        .toEqual([
          ["broken", "effect-missing", 2],
          ["two", "target-multiple", 1],
          ["web-5d4f-", "effect-missing", 1],
        ]);
      await expect
        .poll(async () => (await refusals("default")).map(shown))
        .toContainEqual(["bare", "node-capacity-missing", expect.any(Number)]);

      const { signal } = new AbortController();
      const story = (name: string): Promise<PodStory> =>
        podStory({ client: admin, name, namespace: "refusing", signal });
      expect(await story("broken")).toMatchObject({ pod: "broken", refusals: [{ rule: "effect-missing", count: 2 }] });
      for (const name of ["web", "web-5d4f", "web-5d4f-", "web-5d4f-abcde"])
        expect(await story(name)).toMatchObject({ pod: name, refusals: [{ refused: "web-5d4f-", count: 1 }] });
      await expect(
        explainOn({
          client: admin,
          kind: "node",
          name: "bare",
          options: {},
          terminal: new RecordingTerminal(),
          signal,
        }),
      ).rejects.toThrow(/"bare" not found\. Admission refused it .*node-capacity-missing: /);
      await create(podObject("runs", { annotations: target }), "refusing");
      expect(await story("runs")).toMatchObject({
        outcome: "rewritten",
        containers: [{ container: "one", cpu: "250m", shares: "256" }],
        refusals: [],
      });
      expect(await story("runs")).not.toHaveProperty("now");
      await expect(story("nobody")).rejects.toThrow(/not found in namespace refusing, and no event/);
    });

    it("follows the identifier while it runs: empty, deleted, and back", async () => {
      const asks = (name: string): KubeObject => podObject(name, { annotations: target });
      const attempt = (): Promise<KubeObject> => create(asks("probe"), "users", true);
      const found = await admin.get(infrastructures, "cluster");
      await admin.update(infrastructures, { ...found, status: {} });
      for (const pause = growingPause(); ; await pause()) {
        const error = await attempt().then(
          () => undefined,
          (error: Error) => error,
        );
        if (error) {
          expect(error.message).toContain("pods-partitioning.attune.dev");
          break;
        }
      }
      await admin.delete(infrastructures, "cluster");
      const isStripped = async (): Promise<boolean> => {
        const { metadata } = await attempt().catch(() => podObject("x", { annotations: target }));
        return !Object.keys(metadata.annotations ?? {}).some((key) => key.startsWith("target."));
      };
      for (const pause = growingPause(); !(await isStripped()); await pause());
      await admin.create(kinds.node, node("joins"));
      await admin.create(infrastructures, {
        ...found,
        metadata: { name: "cluster" },
      });
      for (const pause = growingPause(); await isStripped(); await pause());
      expect(await attempt()).toMatchObject(rewritten);
    });

    it("is missed only by those who asked for it: pods of users are refused, pods of the platform and nodes are not", async () => {
      await webhook.crash();
      const asks = (name: string): KubeObject => podObject(name, { annotations: target });
      for (const pause = growingPause(); ; await pause())
        if (await create(asks("down"), "users", true).then(() => false, isUnanswered)) break;
      await create(podObject("plain-while-down"));
      // Names that only begin like those of the platform.
      for (const namespace of ["kubex", "openshiftx", `${systemNamespace}-x`])
        await expect(create(asks("down"), namespace, true)).rejects.toThrow("failed calling webhook");
      for (const namespace of ["kube-system", "openshift-users", systemNamespace]) {
        const stored = await create(asks("down"), namespace);
        expect(stored.metadata.annotations).toEqual(target);
        expect(stored["spec"]).toMatchObject({ containers: [{ resources: { requests: { cpu: "250m" } } }] });
      }
      await admin.create(kinds.node, node("while-down"));
    });
  });

const isUnanswered = (error: Error): boolean => error.message.includes("failed calling webhook");

/** A webhook of someone else that runs after ours, and adds a container. */
async function changingWebhook(admin: HttpClient): Promise<{ asked: number; close(): Promise<void> }> {
  const added = { name: "added", image: "i", resources: { requests: { cpu: "100m" } } };
  const state = { asked: 0, close: async () => {} };
  const server: TestWebhook = await startTestWebhook((review) => {
    const { request } = review as { request: { uid: string; object: { spec: { containers: { name: string }[] } } } };
    state.asked++;
    const isDone = request.object.spec.containers.some(({ name }) => name === "added");
    const operations = isDone ? [] : [{ op: "add", path: "/spec/containers/-", value: added }];
    return {
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      response: {
        uid: request.uid,
        allowed: true,
        patchType: "JSONPatch",
        patch: Buffer.from(JSON.stringify(operations)).toString("base64"),
      },
    };
  });
  const kind = kinds.mutatingWebhookConfiguration;
  const name = "zz-changing";
  await admin.create(kind, {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { name },
    webhooks: [
      {
        name: "changing.example.com",
        clientConfig: { url: `${server.url}/change`, caBundle: server.caBundle },
        rules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["pods"], operations: ["CREATE"] }],
        objectSelector: { matchLabels: { changed: "yes" } },
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
      },
    ],
  } as never);
  state.close = async () => {
    await admin.delete(kind, name);
    await server.close();
  };
  return state;
}
