import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { KubeObject } from "../../../language/object/meta.ts";
import { noLog } from "../../../cluster/runtime/log/log.ts";
import { GarbageCollector } from "../housekeeping/garbage-collector.ts";
import type { Answer } from "../request/context.ts";
import { get } from "../request/get.ts";
import { list } from "../request/list.ts";
import { patch } from "../request/patch.ts";
import { readScale, writeScale } from "../request/subresource/scale.ts";
import type { Resource, Subresource } from "../resource.ts";
import type { ClientConfig, ReviewClient } from "../webhook-client/review-client.ts";
import { RecordedWatch } from "../testing/recorded-watch.ts";
import { SmallServer, type Target } from "../testing/small-server.ts";
import type { Entry } from "../storage/store.ts";
import { answerConversion, convertedWidgets, type ConversionRequest } from "./testing/convert-widgets.ts";

/** The number of objects and the version of each call. */
let asked: string[];
let clients: ClientConfig[];
/** The result of a call. Default: the converted objects. */
let respond: (answer: () => object) => Promise<object>;
let server: SmallServer;
let stop: () => void;

const reviews: ReviewClient = {
  ask: (client, review) => {
    const { objects, desiredAPIVersion } = (review as { request: ConversionRequest }).request;
    asked.push(`${objects.length} to ${desiredAPIVersion.slice("x.io/".length)}`);
    clients.push(client);
    return respond(() => answerConversion(review));
  },
  close: () => undefined,
};
const works = (answer: () => object): Promise<object> => Promise.resolve(answer());
const fails = (): Promise<never> => Promise.reject(new Error("connection refused"));
const url = "https://hooks.example/convert";

beforeEach(async () => {
  asked = [];
  clients = [];
  respond = works;
  server = new SmallServer({ reviews });
  await server.createNamespaces("a");
  stop = server.startHousekeeping();
  await server.create("customresourcedefinitions", convertedWidgets({ url }));
});
afterEach(() => stop());

const at = (name: string): Target => ({ namespace: "a", name });
const v1 = (name: string, size: number, metadata: object = {}): Promise<KubeObject> =>
  server.create("widgets/v1", { metadata: { name, namespace: "a", ...metadata }, spec: { size, color: "red" } });
const stored = (name: string): string => String(server.store.get("widgets.x.io", `a/${name}`)?.bytes);
const taken = (): string[] => asked.splice(0);

async function shown(version: "v1" | "v2", name: string): Promise<KubeObject> {
  const context = server.context(`widgets/${version}`, at(name));
  const { entry } = get(context) as { entry: Entry };
  await server.services.views.ready([entry], context.resource);
  return server.services.views.object(entry, context.resource);
}

async function listed(version: "v1" | "v2", query: Record<string, string> = {}): Promise<string[]> {
  const context = server.context(`widgets/${version}`, { namespace: "a", query });
  const answer = (await list(context)) as Answer & { type: "list" };
  await server.services.views.ready(answer.entries, context.resource);
  return answer.entries.map((entry) => {
    const { metadata, spec } = server.services.views.object(entry, context.resource);
    return `${metadata.name} ${JSON.stringify(spec)}`;
  });
}

describe("an object that a webhook converts", () => {
  it("needs one call to be read in another version, and none in its stored version", async () => {
    const { metadata } = await v1("one", 1);
    expect(await shown("v1", "one")).toMatchObject({ spec: { size: 1 } });
    expect(taken()).toEqual([]);
    const spec = { color: "red", dimensions: { size: 1 } };
    expect(await shown("v2", "one")).toEqual({ kind: "Widget", apiVersion: "x.io/v2", metadata, spec });
    expect(await shown("v2", "one")).toMatchObject({ spec });
    expect(taken()).toEqual(["1 to v2"]);
  });

  it("is converted again when it or its definition has changed", async () => {
    await v1("one", 1);
    await shown("v2", "one");
    await server.patch("widgets/v1", at("one"), { spec: { size: 2 } });
    expect(await shown("v2", "one")).toMatchObject({ spec: { dimensions: { size: 2 } } });
    const { spec } = convertedWidgets({ url: `${url}/anew` });
    await server.patch("customresourcedefinitions", { name: "widgets.x.io" }, { spec });
    await shown("v2", "one");
    expect(taken()).toEqual(["1 to v2", "1 to v2", "1 to v2"]);
    expect(clients.at(-1)).toEqual({ url: `${url}/anew` });
  });

  it("that is created in another version is stored in the storage version, and returned as read back", async () => {
    const created = await server.create("widgets/v2", {
      metadata: { name: "two", namespace: "a" },
      spec: { dimensions: { size: 2 } },
    });
    expect(taken()).toEqual(["1 to v1", "1 to v2"]);
    expect(created).toMatchObject({ apiVersion: "x.io/v2", spec: { dimensions: { size: 2 } } });
    expect(stored("two")).toMatch(/^{"kind":"Widget","apiVersion":"x.io\/v1".*"spec":{"size":2}}$/);
  });

  it("is validated in the version of the request", async () => {
    const bad = { metadata: { name: "bad", namespace: "a" }, spec: { dimensions: { size: -1 } } };
    await expect(server.create("widgets/v2", bad)).rejects.toMatchObject({
      code: 422,
      message: expect.stringContaining("spec.dimensions.size") as string,
    });
    expect(taken()).toEqual([]);
  });

  it("is updated, patched, scaled and given a status in another version", async () => {
    await v1("one", 1);
    const one = await shown("v2", "one");
    await server.update("widgets/v2", { ...one, spec: { color: "blue", dimensions: { size: 2 } } });
    expect(stored("one")).toContain('"spec":{"color":"blue","size":2}');
    await server.patch("widgets/v2", at("one"), { spec: { dimensions: { size: 3 } } });
    expect(stored("one")).toContain('"spec":{"color":"blue","size":3}');
    await server.patch("widgets/v2", { ...at("one"), subresource: "status" }, { status: { size: 3 } });
    const scale = server.resource("widgets/v2").subresources.scale as Extract<Subresource, { type: "scale" }>;
    const context = server.context("widgets/v2", { ...at("one"), subresource: "scale" });
    const four = Buffer.from(JSON.stringify({ spec: { replicas: 4 } }));
    const answer = await writeScale(context, scale, {
      verb: "patch",
      body: four,
      contentType: "application/merge-patch+json",
    });
    expect(answer).toMatchObject({ object: { kind: "Scale", spec: { replicas: 4 }, status: { replicas: 3 } } });
    expect(await readScale(context, scale)).toEqual(answer);
    expect(await shown("v1", "one")).toMatchObject({ spec: { color: "blue", size: 4 }, status: { size: 3 } });
  });

  it("is not written if a write in another version changes nothing", async () => {
    await v1("one", 1);
    const before = server.store.revision;
    await server.update("widgets/v2", await shown("v2", "one"));
    await server.patch("widgets/v2", at("one"), {});
    expect(server.store.revision).toBe(before);
  });

  it("is returned by a dry run as it would be read back, and not stored", async () => {
    const trial = await server.create(
      "widgets/v2",
      { metadata: { name: "two", namespace: "a" }, spec: { dimensions: { size: 2 } } },
      { query: { dryRun: "All" } },
    );
    expect(trial).toMatchObject({ apiVersion: "x.io/v2", spec: { dimensions: { size: 2 } } });
    expect(server.exists("widgets", at("two"))).toBe(false);
  });

  it("is written on a retry if another write overtook the webhook call", async () => {
    await v1("one", 1);
    let answerFirst: () => void = () => undefined;
    respond = (answer) =>
      new Promise((resolve) => {
        answerFirst = () => resolve(answer());
        respond = works;
      });
    const slow = server.patch("widgets/v2", at("one"), { spec: { dimensions: { size: 7 } } });
    await new Promise(setImmediate);
    await server.patch("widgets/v1", at("one"), { spec: { color: "blue" } });
    answerFirst();
    await slow;
    expect(await shown("v1", "one")).toMatchObject({ spec: { color: "blue", size: 7 } });
  });
});

describe("many objects that a webhook converts", () => {
  beforeEach(() => Promise.all([v1("one", 1, { labels: { a: "b" } }), v1("two", 2), v1("three", 3)]));

  it("are listed with one call", async () => {
    expect(await listed("v2")).toHaveLength(3);
    expect(await listed("v2", { limit: "2" })).toEqual([
      'one {"color":"red","dimensions":{"size":1}}',
      'three {"color":"red","dimensions":{"size":3}}',
    ]);
    expect(taken()).toEqual(["3 to v2"]);
  });

  it("are selected by their fields in the requested version", async () => {
    expect(await listed("v2", { fieldSelector: "spec.dimensions.size=2" })).toEqual([
      'two {"color":"red","dimensions":{"size":2}}',
    ]);
    expect(await listed("v2", { labelSelector: "a=b" })).toEqual(['one {"color":"red","dimensions":{"size":1}}']);
    expect(() => list(server.context("widgets/v2", { query: { fieldSelector: "spec.size=2" } }))).toThrow("spec.size");
  });

  it("are selected by the labels that the webhook sets", async () => {
    respond = (answer) => {
      const { response, ...head } = answer() as { response: { convertedObjects: KubeObject[] } };
      for (const { metadata } of response.convertedObjects) metadata.labels = { size: metadata.name ?? "" };
      return Promise.resolve({ ...head, response });
    };
    expect(await listed("v2", { labelSelector: "size in (one,two)" })).toHaveLength(2);
    expect(await listed("v2", { labelSelector: "a=b" })).toEqual([]);
    expect(await listed("v1", { labelSelector: "a=b" })).toHaveLength(1);
  });

  it("are migrated to a new storage version by writing them back", async () => {
    await server.patch(
      "customresourcedefinitions",
      { name: "widgets.x.io" },
      { spec: convertedWidgets({ url }, "v2").spec },
    );
    await server.settled();
    const definition = server.get("customresourcedefinitions", { name: "widgets.x.io" });
    expect(definition.status).toMatchObject({ storedVersions: ["v1", "v2"] });
    expect(await shown("v1", "one")).toMatchObject({ spec: { size: 1 } });
    expect(taken()).toEqual([]);
    for (const name of ["one", "two", "three"]) await server.update("widgets/v1", await shown("v1", name));
    expect(stored("two")).toMatch(/^{"kind":"Widget","apiVersion":"x.io\/v2".*"dimensions":{"size":2}/);
    expect(await listed("v1")).toHaveLength(3);
    expect(await listed("v2")).toHaveLength(3);
  });
});

describe("a webhook that does not answer", () => {
  beforeEach(async () => {
    await v1("one", 1);
    await v1("held", 1, { finalizers: ["x.io/held"] });
    respond = fails;
  });
  const failed = {
    code: 500,
    reason: "",
    message: "conversion webhook for x.io/v1, Kind=Widget failed: connection refused",
  };

  it("fails requests that need it, and nothing is written", async () => {
    await expect(shown("v2", "one")).rejects.toMatchObject(failed);
    await expect(listed("v2")).rejects.toMatchObject(failed);
    await expect(server.patch("widgets/v2", at("one"), { spec: {} })).rejects.toMatchObject(failed);
    const created = server.create("widgets/v2", { metadata: { name: "two", namespace: "a" }, spec: {} });
    await expect(created).rejects.toMatchObject({ ...failed, message: expect.stringContaining("x.io/v2") as string });
    expect(server.exists("widgets", at("two"))).toBe(false);
  });

  it("does not affect reads and writes in the storage version", async () => {
    await server.patch("widgets/v1", at("one"), { spec: { size: 5 } });
    expect(await shown("v1", "one")).toMatchObject({ spec: { size: 5 } });
  });

  it("does not affect writes when a manager owns fields in another version", async () => {
    respond = works;
    await server.patch("widgets/v2", at("one"), { spec: { color: "blue" } });
    respond = fails;
    const { metadata, spec } = await server.patch("widgets/v1", at("one"), { spec: { size: 5 } });
    expect(spec).toEqual({ color: "blue", size: 5 });
    expect(metadata.managedFields?.map(({ apiVersion }) => apiVersion)).toEqual(["x.io/v1", "x.io/v2"]);
  });

  it("does not affect deletion in any version, nor of a collection", async () => {
    expect(await server.delete("widgets/v2", at("one"))).toMatchObject({ kind: "Status", status: "Success" });
    expect(await server.deleteCollection("widgets/v2", { namespace: "a" })).toEqual(["a/held"]);
    expect(stored("held")).toMatch(/^{"kind":"Widget","apiVersion":"x.io\/v1".*"deletionTimestamp".*"size":1/);
    expect(taken()).toEqual([]);
  });

  it("does not affect the deletion of a namespace", async () => {
    await server.delete("namespaces", { name: "a" });
    await server.settled();
    expect(server.exists("widgets", at("one"))).toBe(false);
    await server.patch("widgets/v1", at("held"), { metadata: { finalizers: null } });
    await server.settled();
    expect(server.exists("namespaces", { name: "a" })).toBe(false);
    expect(taken()).toEqual([]);
  });

  it("does not affect garbage collection and orphaning", async () => {
    const collector = new GarbageCollector(server.services, noLog).start();
    const owner = await server.create("configmaps", { metadata: { name: "owner", namespace: "a" } });
    const reference = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner.metadata.uid };
    await server.patch("widgets/v1", at("one"), { metadata: { ownerReferences: [reference] } });
    await v1("orphan", 1, { ownerReferences: [reference] });
    await server.delete("configmaps", at("owner"), { propagationPolicy: "Orphan" });
    await server.settled();
    expect(stored("orphan")).not.toContain("ownerReferences");
    const again = await server.create("configmaps", { metadata: { name: "owner", namespace: "a" } });
    await server.patch("widgets/v1", at("one"), {
      metadata: { ownerReferences: [{ ...reference, uid: again.metadata.uid }] },
    });
    await server.delete("configmaps", at("owner"));
    await server.settled();
    expect(server.exists("widgets", at("one"))).toBe(false);
    collector();
  });
});

describe("a watch of objects that a webhook converts", () => {
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 5; i++) await new Promise(setImmediate);
  };

  it("starts with the current state in one call, and continues with changes", async () => {
    await Promise.all([v1("one", 1), v1("two", 2)]);
    const watch = RecordedWatch.start(server, "widgets/v2", {
      query: { sendInitialEvents: "true", allowWatchBookmarks: "true", resourceVersionMatch: "NotOlderThan" },
    });
    expect(watch.take()).toEqual([]);
    await settle();
    expect(watch.take()).toEqual([
      expect.stringMatching(/^ADDED a\/one/),
      expect.stringMatching(/^ADDED a\/two/),
      expect.stringMatching(/^BOOKMARK \d+ initial events end/),
    ]);
    await server.patch("widgets/v1", at("one"), { spec: { size: 3 } });
    await server.delete("widgets/v1", at("two"));
    await settle();
    expect(watch.take()).toEqual([expect.stringMatching(/^MODIFIED a\/one/), expect.stringMatching(/^DELETED a\/two/)]);
    expect(taken()).toEqual(["2 to v2", "1 to v2", "1 to v2"]);
  });

  it("keeps the order behind a slow call, batches later events, and delays no other watch", async () => {
    const [slow, other] = [RecordedWatch.start(server, "widgets/v2"), RecordedWatch.start(server, "widgets/v1")];
    const held: (() => void)[] = [];
    respond = (answer) => new Promise((resolve) => held.push(() => resolve(answer())));
    for (const size of [1, 2, 3, 4]) await v1(`w${size}`, size);
    expect(other.take()).toHaveLength(4);
    expect(slow.take()).toEqual([]);
    await server.clock.advance(30_000);
    held.shift()?.();
    await settle();
    expect(slow.take()).toEqual([expect.stringMatching(/^ADDED a\/w1/)]);
    held.shift()?.();
    await settle();
    expect(slow.take()).toEqual(
      ["w2", "w3", "w4"].map((name) => expect.stringMatching(new RegExp(`^ADDED a/${name}`)) as string),
    );
    expect(taken()).toEqual(["1 to v2", "3 to v2"]);
  });

  it("sends no event between a bookmark and the events it covers", async () => {
    const watch = RecordedWatch.start(server, "widgets/v2", { query: { allowWatchBookmarks: "true" } });
    let answerNow: () => void = () => undefined;
    respond = (answer) => new Promise((resolve) => (answerNow = () => resolve(answer())));
    await v1("one", 1);
    await server.clock.advance(30_000);
    expect(watch.take()).toEqual([]);
    answerNow();
    await settle();
    expect(watch.take()).toEqual([expect.stringMatching(/^ADDED/), expect.stringMatching(/^BOOKMARK/)]);
  });

  it("gets objects that start and stop to match in the requested version", async () => {
    const watch = RecordedWatch.start(server, "widgets/v2", { query: { fieldSelector: "spec.dimensions.size=2" } });
    await v1("one", 1);
    await server.patch("widgets/v1", at("one"), { spec: { size: 2 } });
    await server.patch("widgets/v1", at("one"), { spec: { size: 3 } });
    await settle();
    expect(watch.take()).toEqual([expect.stringMatching(/^ADDED a\/one/), expect.stringMatching(/^DELETED a\/one/)]);
  });

  it("ends with an error if the webhook fails", async () => {
    const watch = RecordedWatch.start(server, "widgets/v2");
    respond = fails;
    await v1("one", 1);
    await settle();
    expect(watch.take()).toEqual([
      "ERROR 500 : conversion webhook for x.io/v1, Kind=Widget failed: connection refused",
    ]);
    expect(watch.ended).toBe(true);
  });
});

describe("fields that are owned in several versions", () => {
  const owners = ({ metadata }: KubeObject): string[] =>
    (metadata.managedFields ?? [])
      .map(({ manager, apiVersion, fieldsV1 }) => `${manager} ${apiVersion} ${JSON.stringify(fieldsV1)}`)
      .toSorted();
  async function apply(version: "v1" | "v2", manager: string, spec: object, query = {}): Promise<KubeObject> {
    const context = server.context(`widgets/${version}`, { ...at("one"), query: { fieldManager: manager, ...query } });
    const body = { apiVersion: `x.io/${version}`, kind: "Widget", metadata: { name: "one" }, spec };
    await patch(context, JSON.stringify(body), "application/apply-patch+yaml");
    return shown(version, "one");
  }

  it("move to the manager that changes them in another version", async () => {
    await v1("one", 1);
    await server.patch(
      "widgets/v2",
      { ...at("one"), query: { fieldManager: "other" } },
      { spec: { dimensions: { size: 2 } } },
    );
    expect(owners(await shown("v1", "one"))).toEqual([
      'other x.io/v2 {"f:spec":{"f:dimensions":{"f:size":{}}}}',
      'test x.io/v1 {"f:spec":{".":{},"f:color":{}}}',
    ]);
  });

  it("conflict with the path of their owner's version", async () => {
    await apply("v1", "first", { size: 1 });
    await expect(apply("v2", "second", { dimensions: { size: 2 } })).rejects.toMatchObject({
      code: 409,
      message: 'Apply failed with 1 conflict: conflict with "first": .spec.size',
    });
    const forced = await apply("v2", "second", { dimensions: { size: 2 } }, { force: "true" });
    expect(owners(forced)).toEqual(['second x.io/v2 {"f:spec":{"f:dimensions":{"f:size":{}}}}']);
  });

  it("are removed when their owner no longer applies them, in any version", async () => {
    await apply("v1", "first", { size: 1, color: "red" });
    const after = await apply("v2", "first", { dimensions: { size: 1 } });
    expect(after.spec).toEqual({ dimensions: { size: 1 } });
    expect(owners(after)).toEqual(['first x.io/v2 {"f:spec":{"f:dimensions":{"f:size":{}}}}']);
  });

  it("stay if another manager owns them in another version", async () => {
    await apply("v1", "first", { size: 1, color: "red" });
    await apply("v2", "second", { dimensions: { size: 1 } });
    const after = await apply("v1", "first", { color: "red" });
    expect(after.spec).toEqual({ color: "red", size: 1 });
    expect(owners(after)).toEqual([
      'first x.io/v1 {"f:spec":{"f:color":{}}}',
      'second x.io/v2 {"f:spec":{"f:dimensions":{"f:size":{}}}}',
    ]);
  });
});

it("an object stored in a removed version can still be read and deleted", async () => {
  await v1("one", 1);
  const { spec } = convertedWidgets({ url }, "v2") as unknown as { spec: { versions: { name: string }[] } };
  const status = { storedVersions: ["v2"] };
  await server.patch("customresourcedefinitions", { name: "widgets.x.io" }, { spec });
  await server.patch("customresourcedefinitions", { name: "widgets.x.io", subresource: "status" }, { status });
  const versions = spec.versions.filter(({ name }) => name === "v2");
  await server.patch("customresourcedefinitions", { name: "widgets.x.io" }, { spec: { ...spec, versions } });
  const resource: Resource = server.resource("widgets/v2");
  expect(server.get("widgets/v2", at("one"))).toMatchObject({ apiVersion: "x.io/v2", spec: { color: "red" } });
  expect(resource.versions?.all.size).toBe(1);
  await server.delete("widgets/v2", at("one"));
  expect(server.exists("widgets", at("one"))).toBe(false);
});
