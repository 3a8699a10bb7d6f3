import { describe, expect, it } from "vitest";
import type { ObjectMeta } from "./meta.ts";
import { dnsSubdomain } from "./names.ts";
import { validateBuiltInFinalizers, validateObjectMeta, validateObjectMetaUpdate } from "./validate-meta.ts";

const inNamespace = { namespaced: true, validateName: dnsSubdomain };
const shown = (errors: { field: string; message: string }[]) =>
  errors.map(({ field, message }) => `${field}: ${message.slice(0, 90)}`);

describe("metadata of a new object", () => {
  it("may carry everything at once", () => {
    const meta: ObjectMeta = {
      name: "a",
      namespace: "n",
      labels: { "example.com/a": "b" },
      annotations: { "Example.com/a": "any text" },
      finalizers: ["plain", "example.com/hold"],
      ownerReferences: [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "d", uid: "u", controller: true }],
    };
    expect(validateObjectMeta(meta, inNamespace)).toEqual([]);
  });

  it.each([
    [{ namespace: "n" }, ["metadata.name: Required value: name or generateName is required"]],
    [{ name: "a" }, ["metadata.namespace: Required value"]],
    [
      { name: "A", generateName: "Bad_-", namespace: "n.n" },
      [
        'metadata.generateName: Invalid value: "Bad_-": a lowercase RFC 1123 subdomain must',
        'metadata.name: Invalid value: "A": a lowercase',
        'metadata.namespace: Invalid value: "n.n": must not contain dots',
      ],
    ],
    [{ name: "a", namespace: "n", generation: -1 }, ["metadata.generation: Invalid value: -1: must be greater"]],
    [
      { name: "a", namespace: "n", labels: { "a b": "c/d" } },
      [
        'metadata.labels: Invalid value: "a b": name part must consist',
        'metadata.labels: Invalid value: "c/d": a valid label must be',
      ],
    ],
    [
      { name: "a", namespace: "n", annotations: { k: "x".repeat(256 * 1024) } },
      ["metadata.annotations: Too long: may not be more than 262144 bytes"],
    ],
    [
      { name: "a", namespace: "n", finalizers: ["orphan", "foregroundDeletion", "a b"] },
      [
        'metadata.finalizers: Invalid value: "a b": name part',
        'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion","a b"]: finalizer orphan and',
      ],
    ],
    [
      { name: "a", namespace: "n", ownerReferences: [{ apiVersion: "a/b/c", kind: "", name: "", uid: "" }] },
      [
        'metadata.ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty',
        'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
        'metadata.ownerReferences.name: Invalid value: "": must not be empty',
        'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
      ],
    ],
  ] as [ObjectMeta, string[]][])("%j has errors", (meta, expected) => {
    const found = shown(validateObjectMeta(meta, inNamespace));
    expect(found).toHaveLength(expected.length);
    for (const [i, start] of expected.entries()) expect(found[i]).toContain(start);
  });

  it("names both controllers when there are two", () => {
    const owner = (name: string) => ({ apiVersion: "v1", kind: "Pod", name, uid: name, controller: true });
    const [error] = validateObjectMeta(
      { name: "a", namespace: "n", ownerReferences: [owner("b"), owner("c")] },
      inNamespace,
    );
    expect(error?.message).toContain('Found "true" in references for Pod/b and Pod/c');
  });

  it("has no namespace where the kind has none", () => {
    const errors = validateObjectMeta({ name: "a", namespace: "n" }, { ...inNamespace, namespaced: false });
    expect(shown(errors)).toEqual(["metadata.namespace: Forbidden: not allowed on this type"]);
  });

  it("of a built-in kind needs finalizers with a domain", () => {
    expect(validateBuiltInFinalizers(["kubernetes", "example.com/a", "abc"])).toEqual([
      expect.objectContaining({ field: "metadata.finalizers[2]" }),
    ]);
  });
});

describe("metadata of a changed object", () => {
  const old: ObjectMeta = { name: "a", namespace: "n", uid: "u", generation: 2, finalizers: ["example.com/hold"] };

  it("may gain and lose finalizers while the object lives", () => {
    expect(validateObjectMetaUpdate({ ...old, finalizers: ["example.com/other"] }, old)).toEqual([]);
  });

  it("may only lose them once it is being deleted, and the error is reported twice", () => {
    const dying = { ...old, deletionTimestamp: "2026-01-01T00:00:00Z" };
    expect(validateObjectMetaUpdate({ ...dying, finalizers: [] }, dying)).toEqual([]);
    const fault = {
      reason: "FieldValueForbidden",
      field: "metadata.finalizers",
      message:
        'Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/b", "example.com/c"}',
    };
    const finalizers = ["example.com/hold", "example.com/c", "example.com/b"];
    expect(validateObjectMetaUpdate({ ...dying, finalizers }, dying)).toEqual([fault, fault]);
  });

  it.each([
    [{ uid: "x" }, 'metadata.uid: Invalid value: "x": field is immutable'],
    [{ name: "b" }, 'metadata.name: Invalid value: "b": field is immutable'],
    [{ namespace: undefined }, "metadata.namespace: Invalid value: null: field is immutable"],
    [{ deletionGracePeriodSeconds: 3 }, "metadata.deletionGracePeriodSeconds: Invalid value: 3: field is immutable"],
    [{ generation: 1 }, "metadata.generation: Invalid value: 1: must not be decremented"],
  ])("%j is refused", (change, expected) => {
    expect(shown(validateObjectMetaUpdate({ ...old, ...change }, old))).toEqual([expected, expected]);
  });
});
