import { beforeEach, describe, expect, it } from "vitest";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { create as createIn } from "../../request/create.ts";
import type { ReviewClient } from "../../webhook-client/review-client.ts";
import { SmallServer } from "../../testing/small-server.ts";
import { widgetDefinition } from "../../testing/widget-definition.ts";
import type { Webhook } from "./webhook.ts";

interface Request {
  readonly uid: string;
  readonly operation: string;
  readonly object: (KubeObject & { data?: Record<string, string> }) | null;
  readonly [field: string]: unknown;
}

/** The webhook's response at a URL, without the fields that every response repeats. */
type Reply = (request: Request, url: string) => unknown;

let reply: Reply;
let asked: { url: string; request: Request; timeoutMs: number }[];
let server: SmallServer;

const client: ReviewClient = {
  ask: async ({ url = "" }, review, { timeoutMs }) => {
    const { request, apiVersion, kind } = structuredClone(review) as { request: Request } & KubeObject;
    asked.push({ url, request, timeoutMs });
    const answer = await reply(request, url);
    if (answer instanceof Error) throw answer;
    return isWhole(answer) ? answer : { apiVersion, kind, response: { uid: request.uid, ...(answer as object) } };
  },
  close: () => undefined,
};

const isWhole = (answer: unknown): boolean => !(answer instanceof Object) || "whole" in answer;
const allow = { allowed: true };
const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64");
const patch = (...operations: object[]) => ({ ...allow, patchType: "JSONPatch", patch: base64(operations) });
const addKey = (key: string) => patch({ op: "add", path: `/data/${key}`, value: "x" });

const everything = [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] }];
const hook = (name: string, over: Partial<Webhook> = {}): Webhook => ({
  name: `${name}.example.com`,
  clientConfig: { url: `https://hooks/${name}` },
  rules: everything,
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  ...over,
});

const configure = (type: "mutating" | "validating", name: string, ...webhooks: Webhook[]) =>
  server.create(`${type}webhookconfigurations`, { metadata: { name }, webhooks });
const map = { namespace: "a", name: "m" };
const create = (data: Record<string, string> = { k: "v" }, query: Record<string, string> = {}) =>
  server.create("configmaps", { metadata: map, data }, { query });
const urls = () => asked.map(({ url }) => url.replace("https://hooks/", ""));

beforeEach(async () => {
  reply = () => allow;
  asked = [];
  server = new SmallServer({ reviews: client });
  await server.createNamespaces("a");
});

describe.each(["mutating", "validating"] as const)("a %s webhook", (type) => {
  const fails = 'Internal error occurred: failed calling webhook "w.example.com": ';
  const denied = 'admission webhook "w.example.com" denied the request';

  it.each<[string, unknown, object]>([
    ["that refuses", { allowed: false }, { code: 400, reason: "", message: `${denied} without explanation` }],
    [
      "that refuses in its own words",
      { allowed: false, status: { code: 418, reason: "Teapot", message: "no coffee", details: { name: "pot" } } },
      { code: 418, reason: "Teapot", message: `${denied}: no coffee`, details: { name: "pot" } },
    ],
    [
      "that refuses as if it did not",
      { allowed: false, status: { code: 200, reason: "Hm" } },
      { code: 400, message: `${denied}: Hm` },
    ],
    [
      "that cannot be reached",
      new Error("Post: EOF"),
      { code: 500, message: `${fails}failed to call webhook: Post: EOF` },
    ],
    [
      "that answers nothing",
      null,
      { code: 500, message: `${fails}received invalid webhook response: webhook response was absent` },
    ],
    [
      "that answers another question",
      { ...allow, uid: "other" },
      {
        code: 500,
        message: expect.stringMatching(
          /received invalid webhook response: expected response.uid="[-0-9a-f]+", got "other"$/,
        ),
      },
    ],
    [
      "that answers without saying what",
      { whole: true, response: allow },
      { code: 500, message: expect.stringContaining("expected response.uid=") },
    ],
    [
      "that answers with something else",
      { whole: true, apiVersion: "admission.k8s.io/v1", kind: "Foo" },
      {
        code: 500,
        message: `${fails}failed to call webhook: no kind "Foo" is registered for version "admission.k8s.io/v1"`,
      },
    ],
    [
      "that answers in an old version",
      { whole: true, apiVersion: "admission.k8s.io/v1beta1", kind: "AdmissionReview" },
      {
        code: 500,
        message: `${fails}failed to call webhook: converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion`,
      },
    ],
    [
      "that answers in words",
      { allowed: "yes" },
      {
        code: 500,
        message: `${fails}failed to call webhook: json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool`,
      },
    ],
    [
      "whose patch is no base64",
      { ...allow, patch: "!", patchType: "JSONPatch" },
      { code: 500, message: `${fails}failed to call webhook: illegal base64 data at input byte 0` },
    ],
  ])("%s", async (_, answer, refusal) => {
    await configure(type, "c", hook("w"));
    reply = () => answer;
    await expect(create()).rejects.toMatchObject(refusal);
    expect(server.exists("configmaps", map)).toBe(false);
  });

  it.each([new Error("EOF"), null, { ...allow, uid: "other" }])(
    "with failurePolicy Ignore may fail: %#",
    async (answer) => {
      await configure(type, "c", hook("w", { failurePolicy: "Ignore" }));
      reply = () => answer;
      await create();
      expect(server.exists("configmaps", map)).toBe(true);
    },
  );

  it("with failurePolicy Ignore may still deny", async () => {
    await configure(type, "c", hook("w", { failurePolicy: "Ignore" }));
    reply = () => ({ allowed: false });
    await expect(create()).rejects.toMatchObject({ code: 400 });
  });

  it("gets the request, the user and the options", async () => {
    await configure(type, "c", hook("w", { timeoutSeconds: 7 }));
    await server.create(
      "configmaps",
      { metadata: map },
      { user: { name: "u", uid: "1", groups: ["system:masters"], extra: { k: ["v"] } }, query: { fieldManager: "f" } },
    );
    const configMaps = { group: "", version: "v1", resource: "configmaps" };
    expect(asked).toEqual([
      {
        url: "https://hooks/w",
        timeoutMs: 7000,
        request: {
          uid: expect.any(String),
          kind: { group: "", version: "v1", kind: "ConfigMap" },
          resource: configMaps,
          requestKind: { group: "", version: "v1", kind: "ConfigMap" },
          requestResource: configMaps,
          name: "m",
          namespace: "a",
          operation: "CREATE",
          userInfo: { username: "u", uid: "1", groups: ["system:masters"], extra: { k: ["v"] } },
          object: expect.objectContaining({ apiVersion: "v1", kind: "ConfigMap" }),
          oldObject: null,
          dryRun: false,
          options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1", fieldManager: "f" },
        },
      },
    ]);
  });

  it("gets v1beta1 if it supports nothing else, and its response is not checked", async () => {
    await configure(type, "c", hook("w", { admissionReviewVersions: ["v1beta1"] }));
    reply = () => ({ whole: true, response: { allowed: true } });
    await create();
    expect(urls()).toEqual(["w"]);
  });

  it("with side effects is not called in a dry run", async () => {
    // Old stored configurations may have side effects; validation refuses new ones.
    const object = await configure(type, "c", hook("w"));
    const collection = `${type}webhookconfigurations.admissionregistration.k8s.io`;
    const webhooks = [{ ...hook("w"), sideEffects: "Some" }];
    const bytes = Buffer.from(JSON.stringify({ ...object, webhooks }));
    const entry = server.store.head(collection, "c");
    await server.store.put(collection, "c", entry, () => ({ bytes, labels: undefined }));
    await expect(create({}, { dryRun: "All" })).rejects.toMatchObject({
      code: 400,
      message: 'admission webhook "w.example.com" does not support dry run',
    });
    expect(asked).toEqual([]);
    await create();
    expect(urls()).toEqual(["w"]);
  });

  it("may return warnings", async () => {
    await configure(type, "c", hook("w"));
    reply = () => ({ ...allow, warnings: ["careful"] });
    await create();
    expect(server.warnings).toEqual(["careful"]);
  });

  it.each<[string, Partial<Webhook>, string[]]>([
    ["by its rules", { rules: [{ ...everything[0], operations: ["DELETE"] }] }, []],
    ["by labels of the object", { objectSelector: { matchLabels: { call: "me" } } }, []],
    [
      "by labels of the namespace",
      { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "a" } } },
      ["w"],
    ],
    ["by labels of another namespace", { namespaceSelector: { matchLabels: { team: "x" } } }, []],
    ["on a condition that holds", { matchConditions: [{ name: "c", expression: "object.data.k == 'v'" }] }, ["w"]],
    ["on a condition that does not", { matchConditions: [{ name: "c", expression: "object.data.k == 'w'" }] }, []],
    [
      "on a condition that cannot be evaluated, if it does not matter",
      { failurePolicy: "Ignore", matchConditions: [{ name: "c", expression: "object.data.nope == 'w'" }] },
      [],
    ],
  ])("is asked %s", async (_, over, expected) => {
    await configure(type, "c", hook("w", over));
    await create();
    expect(urls()).toEqual(expected);
  });

  it("with a matchCondition that fails denies the write", async () => {
    await configure(type, "c", hook("w", { matchConditions: [{ name: "c", expression: "object.data.nope == 'w'" }] }));
    await expect(create()).rejects.toMatchObject({
      code: 403,
      message:
        "configmaps \"m\" is forbidden: expression 'object.data.nope == 'w'' resulted in error: no such key: nope",
    });
  });

  it("is never called for admission configurations", async () => {
    await configure(type, "c", hook("w"));
    reply = () => ({ allowed: false });
    await configure(type, "d", hook("w"));
    await server.delete(`${type}webhookconfigurations`, { name: "c" });
    expect(asked).toEqual([]);
  });

  it("is not called after its configuration is deleted", async () => {
    await configure(type, "c", hook("w"));
    await server.delete(`${type}webhookconfigurations`, { name: "c" });
    await create();
    expect(asked).toEqual([]);
  });

  it("may write the object that it is called for", async () => {
    await create();
    await configure(type, "c", hook("w", { matchConditions: [{ name: "c", expression: "'patched' in object.data" }] }));
    let turn = 0;
    reply = async () => {
      if (turn++ === 0)
        await server.patch("configmaps", map, { metadata: { labels: { by: "webhook" } }, data: { k: "2" } });
      return allow;
    };
    const { metadata, data } = await server.patch("configmaps", map, { data: { patched: "yes" } });
    expect([metadata.labels, data, turn]).toEqual([{ by: "webhook" }, { k: "2", patched: "yes" }, 2]);
  });

  it("has no longer timeout than the request", async () => {
    await configure(type, "c", hook("w", { timeoutSeconds: 30, failurePolicy: "Ignore" }));
    const context = { ...server.context("configmaps", { namespace: "a" }), deadline: server.clock.now() + 500 };
    reply = async () => {
      await server.clock.advance(500);
      return new Error("context deadline exceeded");
    };
    const body = { value: { metadata: { name: "m" } } as never, duplicates: [] };
    await expect(createIn(context, body)).rejects.toMatchObject({ code: 504, reason: "Timeout" });
    expect(asked.map(({ timeoutMs }) => timeoutMs)).toEqual([500]);
  });
});

describe("mutating webhooks", () => {
  it("change the object one after the other, ordered by the names of their configurations", async () => {
    await configure("mutating", "b", hook("third"));
    await configure("mutating", "a", hook("first"), hook("second"));
    reply = ({ object }, url) => addKey(`${url.split("/").pop()}${Object.keys(object?.data ?? {}).length}`);
    const { data } = await create();
    expect(Object.keys(data as object)).toEqual(["k", "first1", "second2", "third3"]);
  });

  it("are called again under reinvocationPolicy IfNeeded when a later webhook changed the object", async () => {
    await configure("mutating", "a", hook("again", { reinvocationPolicy: "IfNeeded" }), hook("once"));
    reply = ({ object }, url) => addKey(`${url.split("/").pop()}${Object.keys(object?.data ?? {}).length}`);
    const { data } = await create();
    expect(urls()).toEqual(["again", "once", "again"]);
    expect(Object.keys(data as object)).toEqual(["k", "again1", "once2", "again3"]);
  });

  it("are not called again if nothing changed after them, nor for the first time in the second round", async () => {
    const label = { objectSelector: { matchLabels: { late: "yes" } } };
    await configure("mutating", "a", hook("late", { ...label, reinvocationPolicy: "IfNeeded" }));
    await configure("mutating", "b", hook("last", { reinvocationPolicy: "IfNeeded" }));
    reply = () => patch({ op: "add", path: "/metadata/labels", value: { late: "yes" } });
    await create();
    expect(urls()).toEqual(["last"]);
  });

  it("make the built-in plug-ins run again", async () => {
    const spec = { containers: [{ name: "c", image: "i" }] };
    await server.create("serviceaccounts", { metadata: { namespace: "a", name: "default" } });
    await server.create("priorityclasses", { metadata: { name: "high" }, value: 7 });
    await configure("mutating", "a", hook("w", { rules: [{ ...everything[0], resources: ["pods"] }] }));
    reply = () =>
      patch({ op: "add", path: "/spec/priorityClassName", value: "high" }, { op: "remove", path: "/spec/priority" });
    const pod = await server.create("pods", { metadata: map, spec });
    expect(pod.spec).toMatchObject({ priorityClassName: "high", priority: 7 });
  });

  it("are called again if a built-in plug-in restores what they removed of a container", async () => {
    await server.create("serviceaccounts", { metadata: { namespace: "a", name: "default" } });
    const rules = [{ ...everything[0], resources: ["pods"] }];
    await configure("mutating", "a", hook("w", { rules, reinvocationPolicy: "IfNeeded" }));
    reply = () => patch({ op: "remove", path: "/spec/containers/0/volumeMounts" });
    await server.create("pods", { metadata: map, spec: { containers: [{ name: "c", image: "i" }] } });
    expect(urls()).toEqual(["w", "w"]);
  });

  it("do not become field managers of what they change", async () => {
    await configure("mutating", "a", hook("w"));
    reply = () => addKey("added");
    const { metadata } = await create();
    expect(metadata.managedFields?.map(({ fieldsV1 }) => fieldsV1)).toEqual([{ "f:data": { ".": {}, "f:k": {} } }]);
  });

  const replace = (path: string, value: unknown) => patch({ op: "replace", path, value });
  it.each<[string, unknown, object]>([
    [
      "of no such place",
      patch({ op: "remove", path: "/nope" }),
      { code: 500, message: expect.stringContaining("nonexistent key: nope") },
    ],
    [
      "to another kind",
      replace("/kind", "Nope"),
      { code: 500, message: 'Internal error occurred: no kind "Nope" is registered for version "v1"' },
    ],
    ["to another namespace", replace("/metadata/namespace", "b"), { code: 400 }],
    [
      "to a wrong type",
      replace("/data", { k: 1 }),
      { code: 500, message: expect.stringContaining("json: cannot unmarshal number") },
    ],
    ["to an invalid object", replace("/data", { "b a d": "" }), { code: 422, reason: "Invalid" }],
    ["to a version", patch({ op: "add", path: "/metadata/resourceVersion", value: "7" }), { code: 500 }],
    ["to something that is no object", replace("", []), { code: 500 }],
    [
      "that is none",
      { ...allow, patchType: "JSONPatch", patch: base64("nope") },
      { code: 500, message: expect.stringContaining("received undecodable patch in webhook response") },
    ],
    [
      "of another type",
      { ...addKey("x"), patchType: "Merge" },
      { code: 500, message: expect.stringContaining('unsupported patch type "Merge"') },
    ],
    [
      "without a type",
      { ...addKey("x"), patchType: undefined },
      { code: 500, message: expect.stringContaining("webhook returned response.patch but not response.patchType") },
    ],
    [
      "that is missing",
      { ...allow, patchType: "JSONPatch" },
      { code: 500, message: expect.stringContaining("webhook returned response.patchType but not response.patch") },
    ],
  ])("may not answer with a patch %s", async (_, answer, refusal) => {
    await configure("mutating", "a", hook("w"));
    reply = () => answer;
    await expect(create()).rejects.toMatchObject(refusal);
  });

  it.each<[string, object, object]>([
    ["drops what the kind does not have", { op: "add", path: "/nope", value: 1 }, { data: { k: "v" } }],
    [
      "keeps what the server decides",
      { op: "add", path: "/metadata/uid", value: "mine" },
      { metadata: { uid: expect.stringMatching(/-/) } },
    ],
    ["may leave the kind unsaid", { op: "remove", path: "/kind" }, { kind: "ConfigMap" }],
    [
      "names a new object",
      { op: "replace", path: "/metadata/name", value: "renamed" },
      { metadata: { name: "renamed" } },
    ],
  ])("a patch %s", async (_, operation, expected) => {
    await configure("mutating", "a", hook("w"));
    reply = () => patch(operation);
    expect(await create()).toMatchObject(expected);
  });

  it("cannot give a new object the name of an existing one", async () => {
    await server.create("leases", { metadata: { namespace: "a", name: "taken" } });
    await configure("mutating", "a", hook("w"));
    reply = () => patch({ op: "replace", path: "/metadata/name", value: "taken" });
    const taken = { code: 409, reason: "AlreadyExists" };
    await expect(server.create("leases", { metadata: map })).rejects.toMatchObject(taken);
    await expect(server.update("leases", { metadata: map })).rejects.toMatchObject(taken);
  });

  it("cannot make managedFields invalid", async () => {
    await configure("mutating", "a", hook("w"));
    reply = () => replace("/metadata/managedFields/0/operation", "Foo");
    const { metadata } = await create();
    expect(metadata.managedFields).toMatchObject([{ manager: "test", operation: "Update" }]);
    expect(server.warnings).toEqual([
      expect.stringMatching(/please fix your requests: operation must be `Apply` or `Update`$/),
    ]);
  });

  it("cannot change a deleted object", async () => {
    await create();
    await configure("mutating", "a", hook("w"));
    reply = () => addKey("x");
    await expect(server.delete("configmaps", map)).rejects.toMatchObject({
      code: 500,
      message: expect.stringContaining("attempted to modify the object, which is not supported for this operation"),
    });
  });
});

describe("validating webhooks", () => {
  it("are called concurrently, and the write waits for all of them", async () => {
    await configure("validating", "a", hook("slow"), hook("no"));
    let release = (): void => undefined;
    const slow = new Promise<object>((resolve) => (release = () => resolve(allow)));
    reply = (_, url) => {
      if (url.endsWith("slow")) return slow;
      release();
      return { allowed: false };
    };
    await expect(create()).rejects.toMatchObject({ message: expect.stringContaining('"no.example.com" denied') });
    expect(urls()).toEqual(["slow", "no"]);
  });

  it("may not patch", async () => {
    await configure("validating", "a", hook("w"));
    reply = () => addKey("x");
    await expect(create()).rejects.toMatchObject({
      code: 500,
      message: expect.stringContaining("validating webhook may not return response.patch"),
    });
  });

  it("see the object after mutation, as it is stored", async () => {
    await configure("mutating", "a", hook("m"));
    await configure("validating", "a", hook("v"));
    reply = (_, url) => (url.endsWith("m") ? addKey("added") : allow);
    const { metadata } = await create();
    expect(asked[1]?.request.object).toMatchObject({ data: { added: "x" }, metadata: { uid: metadata.uid } });
  });
});

describe("versions", () => {
  const rules = [{ operations: ["*"], apiGroups: ["x.io"], apiVersions: ["v1"], resources: ["widgets"] }];
  beforeEach(async () => {
    const stop = server.startHousekeeping();
    await server.create("customresourcedefinitions", widgetDefinition({ versions: [{ name: "v1" }, { name: "v2" }] }));
    await server.settled();
    stop();
  });

  it.each([
    ["Equivalent", ["v1"]],
    ["Exact", []],
  ])("are the same to matchPolicy %s or not", async (matchPolicy, versions) => {
    await configure("mutating", "a", hook("w", { rules, matchPolicy }));
    reply = () => patch({ op: "add", path: "/metadata/labels", value: { seen: "yes" } });
    const { apiVersion, metadata } = await server.create("widgets/v2", { metadata: map });
    expect(apiVersion).toBe("x.io/v2");
    expect(metadata.labels).toEqual(versions.length > 0 ? { seen: "yes" } : undefined);
    expect(asked.map(({ request }) => request)).toMatchObject(
      versions.map((version) => ({
        kind: { version },
        resource: { version },
        requestKind: { version: "v2" },
        requestResource: { version: "v2" },
        object: { apiVersion: `x.io/${version}` },
      })),
    );
  });
});
