import { describe, expect, it } from "vitest";
import { namespace } from "./namespace.ts";
import { create, update } from "../testing/run-strategy.ts";

describe("Namespace", () => {
  it("gets a label with its name, a finalizer and phase Active", () => {
    const { object, faults } = create(namespace, {
      metadata: { name: "rec", labels: { a: "b" } },
      status: { phase: "Odd" },
    });
    expect(faults).toEqual([]);
    expect(object).toMatchObject({
      metadata: { labels: { a: "b", "kubernetes.io/metadata.name": "rec" } },
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    });
  });

  it("keeps qualified finalizers of the request", () => {
    expect(create(namespace, { spec: { finalizers: ["example.com/x"] } }).object.spec).toEqual({
      finalizers: ["example.com/x", "kubernetes"],
    });
    expect(create(namespace, { spec: { finalizers: ["x"] } }).faults).toEqual([
      'spec.finalizers: Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified',
    ]);
  });

  it("has a name without dots", () => {
    expect(create(namespace, { metadata: { name: "ns.2" } }).faults).toEqual([
      'metadata.name: Invalid value: "ns.2": must not contain dots',
    ]);
  });

  it("restores its label and keeps its finalizers on an update", () => {
    const { object } = create(namespace, {});
    const changed = update(namespace, object, {
      metadata: { labels: { "kubernetes.io/metadata.name": "zz" } },
      spec: { finalizers: null },
      status: { phase: "Odd" },
    });
    expect(changed.faults).toEqual([]);
    expect(changed.object).toEqual(object);
  });

  it("loses finalizers only through the finalize subresource", () => {
    const { object } = create(namespace, {});
    const released = update(namespace, object, { spec: { finalizers: [] }, status: { phase: "Odd" } }, "finalize");
    expect(released.faults).toEqual([]);
    expect(released.object).toMatchObject({ spec: {}, status: { phase: "Active" } });
    expect(update(namespace, object, { spec: { finalizers: ["x"] } }, "finalize").faults).toEqual([
      'spec.finalizers[0]: Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified',
    ]);
  });

  it("is Active until it is deleted, then Terminating", () => {
    const { object } = create(namespace, {});
    expect(update(namespace, object, { status: { phase: "Terminating" } }, "status").faults).toEqual([
      "status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty",
    ]);
    const dying = { ...object, metadata: { ...object.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
    expect(update(namespace, dying, { status: { phase: "Terminating" } }, "status").faults).toEqual([]);
    expect(update(namespace, dying, {}, "status").faults).toEqual([
      "status.Phase: Invalid value: \"Active\": may only be 'Terminating' if `deletionTimestamp` is not empty",
    ]);
  });
});
