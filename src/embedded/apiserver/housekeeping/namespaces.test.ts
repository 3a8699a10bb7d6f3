import { beforeEach, describe, expect, it } from "vitest";
import { CopyingBackend } from "../testing/copying-backend.ts";
import { SmallServer, type Body } from "../testing/small-server.ts";
import { widgetDefinition } from "../testing/widget-definition.ts";

let backend: CopyingBackend;
let server: SmallServer;
const going = { name: "going" };

beforeEach(async () => {
  backend = new CopyingBackend();
  server = new SmallServer({ backend });
  await server.createNamespaces("going", "going-not");
  server.startHousekeeping();
});

const put = (name: string, metadata: Body["metadata"] = {}) =>
  server.create("configmaps", { metadata: { name, namespace: "going", ...metadata } });
const release = (name: string) =>
  server.patch("configmaps", { namespace: "going", name }, { metadata: { finalizers: null } });
const isGone = () => !server.exists("namespaces", going);

describe("a namespace that is deleted", () => {
  it("is removed with its contents of every kind, and no other namespace is touched", async () => {
    await server.create("customresourcedefinitions", widgetDefinition());
    await Promise.all([
      put("one"),
      server.create("secrets", { metadata: { name: "s", namespace: "going" } }),
      server.create("widgets", { metadata: { name: "w", namespace: "going" } }),
      put("stays", { namespace: "going-not" }),
    ]);
    await server.delete("namespaces", going);
    await server.settled();
    expect(isGone()).toBe(true);
    expect(server.list("configmaps").names).toEqual(["going-not/stays"]);
    expect(server.list("secrets").names).toEqual([]);
    expect(server.list("widgets").names).toEqual([]);
  });

  it("is Terminating and refuses new objects while a finalizer holds its contents", async () => {
    await put("free");
    await put("held", { finalizers: ["x.io/hold"] });
    await server.delete("namespaces", going);
    await server.settled();
    expect(server.get("namespaces", going).status).toMatchObject({ phase: "Terminating" });
    expect(server.list("configmaps").names).toEqual(["going/held"]);
    expect(server.get("configmaps", { namespace: "going", name: "held" }).metadata.deletionTimestamp).toBeDefined();
    await expect(put("late")).rejects.toMatchObject({
      code: 403,
      message: expect.stringContaining("is being terminated"),
    });

    await release("held");
    await server.settled();
    expect(isGone()).toBe(true);
  });

  it("says in its conditions what keeps it", async () => {
    await put("held", { finalizers: ["x.io/hold", "y.io/hold"] });
    await put("more", { finalizers: ["x.io/hold"] });
    await server.delete("namespaces", going);
    await server.settled();
    const conditions = () =>
      (server.get("namespaces", going).status as { conditions: { status: string }[] }).conditions.filter(
        ({ status }) => status === "True",
      );
    expect(conditions()).toMatchObject([
      {
        type: "NamespaceContentRemaining",
        reason: "SomeResourcesRemain",
        message: "Some resources are remaining: configmaps. has 2 resource instances",
      },
      {
        type: "NamespaceFinalizersRemaining",
        reason: "SomeFinalizersRemain",
        message:
          "Some content in the namespace has finalizers remaining: x.io/hold in 2 resource instances, y.io/hold in 1 resource instances",
      },
    ]);
    await release("held");
    await server.settled();
    expect(conditions()).toMatchObject([
      { message: "Some resources are remaining: configmaps. has 1 resource instances" },
      { message: "Some content in the namespace has finalizers remaining: x.io/hold in 1 resource instances" },
    ]);
    await release("more");
    await server.settled();
    expect(isGone()).toBe(true);
  });

  it("keeps other objects until its pods are gone", async () => {
    await server.create("serviceaccounts", { metadata: { name: "default", namespace: "going" } });
    const spec = { containers: [{ name: "c", image: "i" }] };
    await server.create("pods", { metadata: { name: "p", namespace: "going", finalizers: ["x.io/hold"] }, spec });
    await put("needed");
    await server.delete("namespaces", going);
    await server.settled();
    expect(server.get("pods", { namespace: "going", name: "p" }).metadata.deletionTimestamp).toBeDefined();
    expect(server.get("configmaps", { namespace: "going", name: "needed" }).metadata.deletionTimestamp).toBeUndefined();
    await server.patch("pods", { namespace: "going", name: "p" }, { metadata: { finalizers: null } });
    await server.settled();
    expect(isGone()).toBe(true);
  });

  it("deletes an object that was changed during the deletion", async () => {
    await put("one");
    await Promise.all([
      server.delete("namespaces", going),
      server.patch("configmaps", { namespace: "going", name: "one" }, { data: { a: "b" } }),
    ]);
    await server.settled();
    expect(isGone()).toBe(true);
  });

  it("deletes an object that was changed in the next commit", async () => {
    await put("one");
    let change: Promise<unknown> = Promise.resolve();
    backend.onCommit = (rows) => {
      backend.onCommit = () => {};
      if (rows.some(({ collection }) => collection === "namespaces"))
        change = server.patch("configmaps", { namespace: "going", name: "one" }, { data: { a: "b" } });
    };
    await server.delete("namespaces", going);
    await change;
    await server.settled();
    expect(isGone()).toBe(true);
  });

  it("waits for its own finalizers", async () => {
    await server.patch("namespaces", going, { metadata: { finalizers: ["x.io/hold"] } });
    await server.delete("namespaces", going);
    await server.settled();
    expect(server.get("namespaces", going).spec).toEqual({});
    await server.patch("namespaces", going, { metadata: { finalizers: null } });
    await server.settled();
    expect(isGone()).toBe(true);
  });

  it("deletes objects whose stored version is not served", async () => {
    const versions = [{ name: "v1" }, { name: "v2" }];
    await server.create("customresourcedefinitions", widgetDefinition({ versions }));
    await server.create("widgets", { metadata: { name: "w", namespace: "going" } });
    const unserved = widgetDefinition({ versions: [{ name: "v1", served: false }, { name: "v2" }] });
    await server.patch("customresourcedefinitions", { name: "widgets.x.io" }, { spec: unserved.spec });
    await server.delete("namespaces", going);
    await server.settled();
    expect(isGone()).toBe(true);
    expect(server.store.count("widgets.x.io")).toBe(0);
  });

  it("can be created again, empty", async () => {
    await put("one");
    await server.delete("namespaces", going);
    await server.settled();
    await server.createNamespaces("going");
    expect(server.list("configmaps", { namespace: "going" }).names).toEqual([]);
    await put("two");
    await server.settled();
    expect(server.list("configmaps").names).toEqual(["going/two"]);
  });
});

it("a deletion continues after a crash", async () => {
  await put("one");
  await put("held", { finalizers: ["x.io/hold"] });
  backend.onCommit = () => backend.stop();
  await server.delete("namespaces", going);
  await server.settled();

  server = new SmallServer({ backend: backend.reopened() });
  expect(server.list("configmaps").names).toEqual(["going/held", "going/one"]);
  server.startHousekeeping();
  await server.settled();
  expect(server.list("configmaps").names).toEqual(["going/held"]);
  await release("held");
  await server.settled();
  expect(isGone()).toBe(true);
});

it("nothing is deleted after it was stopped", async () => {
  server = new SmallServer();
  await server.createNamespaces("going");
  server.startHousekeeping()();
  await server.delete("namespaces", going);
  await server.settled();
  expect(isGone()).toBe(false);
});
