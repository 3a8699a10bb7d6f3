import { beforeEach, describe, expect, it } from "vitest";
import { findCondition, type Condition } from "../../../language/object/condition.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { CopyingBackend } from "../testing/copying-backend.ts";
import { servedVerbs } from "../discovery/subresources.ts";
import { SmallServer } from "../testing/small-server.ts";
import { widgetDefinition, type WidgetOptions } from "../testing/widget-definition.ts";

const definitions = "customresourcedefinitions";
const widgets = { name: "widgets.x.io" };
let backend: CopyingBackend;
let server: SmallServer;

beforeEach(async () => {
  backend = new CopyingBackend();
  server = new SmallServer({ backend });
  await server.createNamespaces("a");
  server.startHousekeeping();
});

const define = (options?: WidgetOptions) => server.create(definitions, widgetDefinition(options));
const widget = (name: string, metadata: Partial<KubeObject["metadata"]> = {}) =>
  server.create("widgets", { metadata: { name, namespace: "a", ...metadata }, spec: { size: 1 } });
function condition(name: string, type: string): string {
  const { status } = server.get(definitions, { name });
  const found = findCondition((status as { conditions: Condition[] }).conditions, type);
  return found ? `${found.status} ${found.reason}` : "none";
}

/** A new process on the same storage. */
async function restart(): Promise<void> {
  await server.settled();
  server = new SmallServer({ backend: backend.reopened() });
  server.startHousekeeping();
  await server.settled();
}

describe("a new definition", () => {
  it("is served when its creation is answered", async () => {
    await define();
    expect((await widget("one")).apiVersion).toBe("x.io/v1");
  });

  it("gets the condition NamesAccepted", async () => {
    await define();
    await server.settled();
    expect(condition("widgets.x.io", "NamesAccepted")).toBe("True NoConflicts");
    expect(condition("widgets.x.io", "Established")).toBe("True InitialNamesAccepted");
  });

  it("is not written again once it is established", async () => {
    await define();
    await server.settled();
    const { revision } = server.store;
    await server.create(definitions, widgetDefinition({ plural: "gadgets", kind: "Gadget" }));
    await server.settled();
    expect(server.store.revision).toBe(revision + 2);
  });

  it("waits for a name that another definition has, and gets it when that is deleted", async () => {
    await define({ shortNames: ["w"] });
    await server.create(definitions, widgetDefinition({ plural: "whales", kind: "Whale", shortNames: ["w"] }));
    await server.settled();
    expect(condition("whales.x.io", "NamesAccepted")).toBe("False ShortNamesConflict");
    expect(server.serves("whales")).toBe(false);
    await server.delete(definitions, widgets);
    await server.settled();
    expect(condition("whales.x.io", "Established")).toBe("True InitialNamesAccepted");
    expect(server.serves("whales")).toBe(true);
  });

  it("does not share a name with one created at the same time", async () => {
    await Promise.all([
      define({ shortNames: ["w"] }),
      server.create(definitions, widgetDefinition({ plural: "whales", kind: "Whale", shortNames: ["w"] })),
    ]);
    await server.settled();
    const served = ["widgets", "whales"].filter((plural) => server.serves(plural));
    expect(served).toHaveLength(1);
  });
});

describe("a change of a definition", () => {
  it("is served at once: a new field, a new version", async () => {
    await define();
    await widget("one");
    const { services } = server;
    const before = services.registry.generation;
    await server.patch(definitions, widgets, {
      spec: widgetDefinition({
        versions: [{ name: "v1", spec: { size: { type: "integer" }, color: { type: "string" } } }, { name: "v2" }],
      }).spec,
    });
    expect(services.registry.generation).toBe(before + 1);
    const changed = await server.patch("widgets/v1", { namespace: "a", name: "one" }, { spec: { color: "red" } });
    expect(changed.spec).toEqual({ size: 1, color: "red" });
    expect(server.get("widgets/v2", { namespace: "a", name: "one" }).spec).toEqual({ size: 1 });
  });

  it("of its labels does not rebuild its resources", async () => {
    await define();
    await server.settled();
    const before = server.services.registry.generation;
    await server.patch(definitions, widgets, { metadata: { labels: { a: "b" } } });
    await server.settled();
    expect(server.services.registry.generation).toBe(before);
  });
});

describe("a definition that is deleted", () => {
  it("deletes its objects and is no longer served", async () => {
    await define();
    await Promise.all(["one", "two"].map((name) => widget(name)));
    await server.delete(definitions, widgets);
    await server.settled();
    expect(server.serves("widgets")).toBe(false);
    expect(server.exists(definitions, widgets)).toBe(false);
    expect(server.store.count("widgets.x.io")).toBe(0);
  });

  it("waits for objects with finalizers", async () => {
    await define();
    await Promise.all([widget("free"), widget("held", { finalizers: ["x.io/hold"] })]);
    await server.delete(definitions, widgets);
    await server.settled();
    expect(server.list("widgets").names).toEqual(["a/held"]);
    expect(condition("widgets.x.io", "Terminating")).toBe("True InstanceDeletionInProgress");
    const { metadata } = server.get("widgets", { namespace: "a", name: "held" });
    expect(metadata).toMatchObject({ deletionTimestamp: "2026-01-01T00:00:00Z", generation: 2 });

    await server.patch("widgets", { namespace: "a", name: "held" }, { metadata: { finalizers: null } });
    await server.settled();
    expect(server.exists(definitions, widgets)).toBe(false);
  });

  it("refuses new objects while it is terminating", async () => {
    await define();
    await widget("held", { finalizers: ["x.io/hold"] });
    await server.delete(definitions, widgets);
    await expect(widget("late")).rejects.toThrow(
      'widgets.x.io "late" is forbidden: create not allowed while custom resource definition is terminating',
    );
    expect(servedVerbs(server.resource("widgets"))).toEqual(["delete", "deletecollection", "get", "list", "watch"]);
    await server.patch("widgets", { namespace: "a", name: "held" }, { spec: { size: 2 } });
  });

  it("deletes an object that was changed during the deletion", async () => {
    await define();
    await widget("one");
    await Promise.all([
      server.delete(definitions, widgets),
      server.patch("widgets", { namespace: "a", name: "one" }, { spec: { size: 2 } }),
    ]);
    await server.settled();
    expect(server.exists(definitions, widgets)).toBe(false);
  });

  it("is deleted even if none of its versions is served", async () => {
    await define({ versions: [{ name: "v1" }, { name: "v2" }] });
    await widget("one");
    await server.patch(definitions, widgets, {
      spec: widgetDefinition({ versions: [{ name: "v1", served: false }] }).spec,
    });
    await server.delete(definitions, widgets);
    await server.settled();
    expect(server.exists(definitions, widgets)).toBe(false);
    expect(server.store.count("widgets.x.io")).toBe(0);
  });

  it("waits for other finalizers after its objects are gone", async () => {
    await define();
    await server.patch(definitions, widgets, { metadata: { finalizers: ["x.io/hold"] } });
    await server.delete(definitions, widgets);
    await server.settled();
    expect(server.get(definitions, widgets).metadata.finalizers).toEqual(["x.io/hold"]);
    expect(condition("widgets.x.io", "Terminating")).toBe("False InstanceDeletionCompleted");
    await server.patch(definitions, widgets, { metadata: { finalizers: null } });
    expect(server.exists(definitions, widgets)).toBe(false);
  });

  it("can be created again, without objects", async () => {
    await define();
    await widget("one");
    await server.delete(definitions, widgets);
    await server.settled();
    await define();
    expect(server.list("widgets").names).toEqual([]);
  });
});

describe("after a restart", () => {
  it("definitions are served before the first request, and nothing is written", async () => {
    await define();
    await widget("one");
    await server.settled();
    const { revision } = server.store;
    await restart();
    expect(server.list("widgets").names).toEqual(["a/one"]);
    expect(server.store.revision).toBe(revision);
  });

  it("a deletion continues", async () => {
    await define();
    await widget("held", { finalizers: ["x.io/hold"] });
    await server.delete(definitions, widgets);
    await restart();
    expect(server.list("widgets").names).toEqual(["a/held"]);
    await server.patch("widgets", { namespace: "a", name: "held" }, { metadata: { finalizers: null } });
    await server.settled();
    expect(server.exists(definitions, widgets)).toBe(false);
  });

  it("objects of a deleted definition that a crash left are deleted", async () => {
    await define();
    await widget("one");
    await server.settled();
    // The deletion is committed, and the process ends before the cleanup.
    backend.onCommit = (rows) => {
      if (rows.some(({ collection }) => collection.startsWith(definitions))) backend.stop();
    };
    await server.delete(definitions, widgets);
    await restart();
    expect(server.exists(definitions, widgets)).toBe(false);
    expect(server.store.count("widgets.x.io")).toBe(0);
  });
});
