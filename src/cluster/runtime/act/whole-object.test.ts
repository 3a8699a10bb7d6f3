import { describe, expect, test } from "vitest";
import { deepFreeze } from "../../../language/object/json.ts";
import type { KubeObject, ObjectMeta, OwnerReference } from "../../../language/object/meta.ts";
import { wholeUpdate } from "./whole-object.ts";

const tuned = (metadata: ObjectMeta, fields: Record<string, unknown> = { spec: { a: 1 } }): KubeObject =>
  deepFreeze({ apiVersion: "tuned.openshift.io/v1", kind: "Tuned", metadata: { name: "t", ...metadata }, ...fields });
const owner = (uid: string, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: "v1",
  kind: "Node",
  name: uid,
  uid,
  ...more,
});

describe("no update is needed when", () => {
  test.each<[string, KubeObject, KubeObject]>([
    ["all is equal", tuned({}), tuned({ resourceVersion: "5" })],
    [
      "others have labels and annotations too",
      tuned({ labels: { a: "1" } }),
      tuned({ labels: { a: "1", b: "2" }, annotations: { c: "3" } }),
    ],
    [
      "others own it too",
      tuned({ ownerReferences: [owner("u1")] }),
      tuned({ ownerReferences: [owner("u0"), owner("u1")] }),
    ],
    ["only status differs", tuned({}), tuned({}, { spec: { a: 1 }, status: { x: 1 } })],
    ["a field is left undefined", tuned({}, { spec: { a: 1 }, data: undefined }), tuned({})],
  ])("%s", (_, wanted, observed) => {
    expect(wholeUpdate(wanted, observed)).toBeUndefined();
  });
});

describe("an update is needed when", () => {
  test.each<[string, KubeObject, KubeObject]>([
    ["a value changed", tuned({}), tuned({}, { spec: { a: 2 } })],
    ["another added a field inside", tuned({}), tuned({}, { spec: { a: 1, b: 2 } })],
    ["another added a field at the top", tuned({}), tuned({}, { spec: { a: 1 }, data: {} })],
    ["a field is missing", tuned({}, { spec: { a: 1 }, data: {} }), tuned({})],
    ["a field is named like a method", tuned({}, { spec: { a: 1 }, constructor: 1 }), tuned({})],
    ["a label of ours changed", tuned({ labels: { a: "1" } }), tuned({ labels: { a: "2" } })],
    ["an annotation of ours is missing", tuned({ annotations: { toString: "1" } }), tuned({ annotations: {} })],
    [
      "an owner of ours changed",
      tuned({ ownerReferences: [owner("u", { controller: true })] }),
      tuned({ ownerReferences: [owner("u")] }),
    ],
  ])("%s", (_, wanted, observed) => {
    expect(wholeUpdate(wanted, observed)).toBeDefined();
  });
});

test("an update has our content with the observed metadata and status", () => {
  const wanted = tuned({ labels: { ours: "new" }, ownerReferences: [owner("u1", { controller: true })] });
  const observed = tuned(
    {
      uid: "x",
      resourceVersion: "7",
      finalizers: ["keep/it"],
      labels: { ours: "old", theirs: "y" },
      annotations: { theirs: "z" },
      ownerReferences: [owner("u1"), owner("u2")],
      managedFields: [{ manager: "m" }],
    },
    { spec: { a: 0 }, extra: true, status: { seen: 1 } },
  );
  expect(JSON.parse(JSON.stringify(wholeUpdate(wanted, observed)))).toEqual({
    apiVersion: "tuned.openshift.io/v1",
    kind: "Tuned",
    metadata: {
      name: "t",
      uid: "x",
      resourceVersion: "7",
      finalizers: ["keep/it"],
      labels: { ours: "new", theirs: "y" },
      annotations: { theirs: "z" },
      ownerReferences: [owner("u2"), owner("u1", { controller: true })],
    },
    spec: { a: 1 },
    status: { seen: 1 },
  });
});

test("owner references are removed from an object that must have none", () => {
  const owned = tuned({ ownerReferences: [owner("u0")], resourceVersion: "5" });
  expect(wholeUpdate(tuned({}), owned, { ownerless: true })?.metadata).toMatchObject({
    ownerReferences: [],
    resourceVersion: "5",
  });
  expect(wholeUpdate(tuned({}), tuned({ ownerReferences: [] }), { ownerless: true })).toBeUndefined();
});

describe("with exact metadata", () => {
  test.each<[string, ObjectMeta]>([
    ["a label", { labels: { a: "1", b: "2" } }],
    ["an annotation", { labels: { a: "1" }, annotations: { c: "3" } }],
    ["a finalizer", { labels: { a: "1" }, finalizers: ["x.org/y"] }],
    ["an owner", { labels: { a: "1" }, ownerReferences: [owner("u0")] }],
  ])("%s of another client is removed", (_, observed) => {
    const update = wholeUpdate(tuned({ labels: { a: "1" } }), tuned({ ...observed, uid: "u" }), {
      exactMetadata: true,
    });
    expect(update?.metadata).toEqual({
      name: "t",
      uid: "u",
      labels: { a: "1" },
      annotations: {},
      finalizers: [],
      ownerReferences: [],
    });
  });

  test("an object that has nothing else needs no update", () => {
    const observed = tuned({ labels: { a: "1" }, annotations: {}, resourceVersion: "5", generation: 2 });
    expect(wholeUpdate(tuned({ labels: { a: "1" } }), observed, { exactMetadata: true })).toBeUndefined();
  });
});
